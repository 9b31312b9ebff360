/**
 * Media types by the first bytes of a file. The file name is ignored, because it may wrongly call a
 * file an image.
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

/** Returns whether the bytes are not text: text has no NUL bytes. */
export const isBinary = (head: Uint8Array): boolean => head.includes(0);
