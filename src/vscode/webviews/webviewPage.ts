/** The HTML page of a webview: only our two files, with a policy that allows nothing else. */

export interface WebviewPage {
  /** Plain text. */
  readonly title: string;
  /** VS Code's source for the webview's own files. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Fresh for each page. */
  readonly nonce: string;
}

/** The toolkit reads the nonce from a meta element of this name, for its only style element. */
export const webviewHtml = ({
  title,
  cspSource,
  scriptUri,
  styleUri,
  nonce,
}: WebviewPage): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource} 'nonce-${nonce}'; img-src ${cspSource} data: blob:;">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${styleUri}">
</head>
<body>
<script nonce="${nonce}" src="${scriptUri}"></script>
</body>
</html>
`;
