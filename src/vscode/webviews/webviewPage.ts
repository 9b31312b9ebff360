/** The page of a webview: nothing but two files of ours, and a policy that allows nothing else. */

export interface WebviewPage {
  /** Plain text of ours. */
  readonly title: string;
  /** Where the webview's own files come from, as VS Code names it. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Fresh for each page. */
  readonly nonce: string;
}

/**
 * The toolkit looks for the nonce in a meta element of this name, for the one style element that it
 * makes.
 */
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
