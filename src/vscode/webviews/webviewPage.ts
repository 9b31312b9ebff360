/**
 * The HTML page of a webview. Its content security policy allows only the extension's script and
 * style sheet.
 */

export interface WebviewPage {
  /** Title of the page, which is inserted without escaping. */
  readonly title: string;
  /** Value of VS Code's `Webview.cspSource`: the origin of the webview's files. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Nonce of the content security policy: a random value, different for each page. */
  readonly nonce: string;
}

/**
 * Returns the HTML of the page. The UI toolkit reads the nonce for its style element from the meta
 * element `csp-nonce`.
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
