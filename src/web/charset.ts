/**
 * Decodes bytes with the encoding that the server, a byte order mark or the page itself declares.
 */

/**
 * Returns the decoded text. A byte order mark takes precedence over the charset that the server
 * sent, and the charset over the declaration in the page.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const label = markedEncoding(bytes) ?? charset ?? declaredEncoding(bytes);
  return (label === undefined ? undefined : decodedAs(label, bytes)) ?? guessed(bytes);
}

function markedEncoding([one, two, three]: Uint8Array): string | undefined {
  if (one === 0xef && two === 0xbb && three === 0xbf) return 'utf-8';
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : undefined;
}

const declarationBytes = 4096;
const declaration =
  /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w-]+)/i;

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, declarationBytes));
  const found = declaration.exec(head);
  const label = (found?.[1] ?? found?.[2])?.toLowerCase();
  // The declaration was read as Latin-1, so the page cannot be in UTF-16.
  return label?.startsWith('utf-16') ? 'utf-8' : label;
}

function decodedAs(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Decodes bytes without a declared encoding: as UTF-8 if that is valid, otherwise as Windows-1252,
 * the most common encoding of such pages.
 */
function guessed(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  return text.slice(0, -1).includes('\ufffd')
    ? new TextDecoder('windows-1252').decode(bytes)
    : text;
}

const sniffedBytes = 4096;

/** Returns true for bytes that may be text, that is, without a NUL near the beginning. */
export const looksLikeText = (bytes: Uint8Array): boolean =>
  markedEncoding(bytes)?.startsWith('utf-16') === true ||
  !bytes.subarray(0, sniffedBytes).includes(0);
