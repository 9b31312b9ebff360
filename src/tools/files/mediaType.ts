/** What a file is, by its first bytes: a wrong name must not send a model an image that is none. */
const signatures: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
];

/** Of the images and documents that models read; `undefined` for everything else. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  return signatures.find(([, pattern]) => pattern.test(start))?.[0];
}

/** Text has no NUL bytes. */
export const isBinary = (head: Uint8Array): boolean => head.includes(0);
