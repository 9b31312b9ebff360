/**
 * The HTML page of a webview. Its content security policy allows only our script and our style
 * sheet.
 */

export interface WebviewPage {
  /** Title of the page, as plain text. */
  readonly title: string;
  /** Value of `cspSource`: where VS Code loads the webview's files from. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Random value of the content security policy, different for each page. */
  readonly nonce: string;
}

/**
 * Returns the HTML. The UI toolkit needs the nonce for its style element, and reads it from the
 * meta element of this name.
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
