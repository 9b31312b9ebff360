/**
 * Stores one line of ASCII text as bytes, so that a parser reads characters from an array, which is
 * faster than calling string methods.
 */

const maxChars = 4096;
/**
 * Written after the last character. The parsers do not accept lines with control characters, so
 * they stop here.
 */
const endOfLine = 0x0a;
/** The characters of the loaded line, followed by `endOfLine`. */
const bytes = new Uint8Array(maxChars + 1);
/** The same as `bytes`. */
export const lineView = new DataView(bytes.buffer);
const encoder = new TextEncoder();

/**
 * Loads a line, and replaces the line before it. Returns false for a line that is too long or not
 * ASCII.
 */
export function loadLine(line: string): boolean {
  if (line.length > maxChars) return false;
  const { read, written } = encoder.encodeInto(line, bytes);
  bytes[written] = endOfLine;
  return read === line.length && written === read;
}

/** Kinds of characters, as bits. */
const digit = 1;
const letter = 2;
const underscore = 4;
const path = 8;
const query = 16;
const control = 32;
const word = digit | letter | underscore;
/**
 * Characters of a word, which ends at a blank or another sign. A word with `?` or `&` is not a
 * name.
 */
const run = word | path | query;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[a-z]/i.test(character)) return letter;
  if (/\d/.test(character)) return digit;
  if (character === '_') return underscore;
  if (/[./@-]/.test(character)) return path;
  if (/[?&]/.test(character)) return query;
  return character >= ' ' || character === '\t' ? 0 : control;
}

/** Returns the code of the character at a position of the loaded line. */
export const codeAt = (at: number): number => bytes[at] ?? 0;

const isAt = (at: number, kind: number): boolean => ((kinds[bytes[at] ?? 0] ?? 0) & kind) !== 0;

export const isDigitAt = (at: number): boolean => isAt(at, digit);
export const isLetterAt = (at: number): boolean => isAt(at, letter);
/** Returns whether the character is matched by `\w`. */
export const isWordAt = (at: number): boolean => isAt(at, word);
/**
 * Returns whether the character is part of a word of the line: a character of a name, `?` or `&`.
 */
export const isRunAt = (at: number): boolean => isAt(at, run);
/** Returns whether the character is a control character, such as `endOfLine`. */
export const isControlAt = (at: number): boolean => isAt(at, control);
export const isBlankAt = (at: number): boolean => bytes[at] === 0x20 || bytes[at] === 0x09;

/**
 * Returns the position of the first character from `at` on that is not a blank. The functions below
 * do the same for other kinds of characters.
 */
export function afterBlanks(at: number): number {
  let next = at;
  while (isBlankAt(next)) next++;
  return next;
}

export function afterDigits(at: number): number {
  let next = at;
  while (isDigitAt(next)) next++;
  return next;
}

export function afterLetters(at: number): number {
  let next = at;
  while (isLetterAt(next)) next++;
  return next;
}

export function afterRun(at: number): number {
  let next = at;
  while (isRunAt(next)) next++;
  return next;
}

/** Returns whether the loaded line has a text at a position. */
export function hasTextAt(text: string, start: number): boolean {
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
