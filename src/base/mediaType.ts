/**
 * Media types by the first bytes of a file. The file name is ignored, because its extension may be
 * wrong.
 */
const signatures: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
];

/** Returns the media type of an image or document that models can read; otherwise `undefined`. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  return signatures.find(([, pattern]) => pattern.test(start))?.[0];
}

/** Returns true if the bytes contain a NUL byte, which text files do not have. */
export const isBinary = (head: Uint8Array): boolean => head.includes(0);
