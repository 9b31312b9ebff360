/**
 * Returns `text` as a file name that is safe on every system: lower-case letters and digits, with
 * hyphens in place of all other characters. Cuts a long text between two words.
 */
export function slug(text: string, maxChars: number): string {
  const words = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (words.length <= maxChars) return words;
  const end = words.lastIndexOf('-', maxChars);
  return words.slice(0, end > 0 ? end : maxChars);
}
