/** Distinguishes random texts, such as keys, from words, numbers, paths, hashes and identifiers. */

/** Counts the changes between lowercase letters, capitals and digits. */
export const changesIn = (text: string): number =>
  text.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[a-zA-Z])/g)?.length ?? 0;

/** Returns true for a git hash, a digest or a UUID: digits of base 16, with or without hyphens. */
export const isHash = (text: string): boolean => /^(?:0x)?[a-f\d-]+$|^(?:0x)?[A-F\d-]+$/.test(text);

export const isNumber = (text: string): boolean =>
  /^0x[\da-f]+$/i.test(text) || /^[-+]?[\d.,_:/\s-]+(?:e[-+]?\d+)?[a-z%]{0,3}$/i.test(text);

/** Returns true for a path of a file, and for an address without a password. */
export const isPath = (text: string): boolean =>
  /^(?:~|\.{0,2}\/|[A-Za-z]:[\\/]|[a-z][a-z+.-]*:\/\/)/.test(text) ||
  /^[\w.@-]+(?:\/[\w.@-]*[a-z_.-][\w.@-]*)+$/.test(text);

/**
 * Minimum number of changes between lowercase letters, capitals and digits, per character, from
 * which a text is considered random. Ordinary identifiers have fewer changes.
 */
const minChanges = 0.3;
/** Like `minChanges`, for a text without digits. */
const minChangesOfLetters = 0.45;
const notWord = /[^A-Za-z\d]/g;

/** Returns true for a text without spaces, of at least `minChars`, that seems to be random. */
export function isRandom(text: string, minChars = 12): boolean {
  if (text.length < minChars || /\s/.test(text) || isHash(text)) return false;
  const least = /\d/.test(text) ? minChanges : minChangesOfLetters;
  return /[A-Za-z]/.test(text) && changesIn(text) >= least * text.replace(notWord, '').length;
}

/** Minimum number of different letters of a very random text. The path of a picture has fewer. */
const minLetters = 10;

/** Returns true for a random text that has many lowercase letters, capitals and digits. */
export const isVeryRandom = (text: string, minChars: number): boolean =>
  new Set(text.replace(/[^A-Za-z]/g, '')).size >= Math.min(minLetters, text.length / 2) &&
  /[a-z]/.test(text) &&
  /[A-Z]/.test(text) &&
  changesIn(text) >= 0.4 * text.length &&
  isRandom(text, minChars);
