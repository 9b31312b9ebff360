/** Decodes the hexadecimal bytes in a text, such as the output of `xxd`, `od` and `hexdump`. */

export interface HexText {
  /** The decoded bytes as Latin-1, with a line feed after the bytes of each run of digits. */
  readonly text: string;
  /** Returns the part of the original text from which a part of `text` was decoded. */
  span(start: number, end: number): { readonly start: number; readonly end: number };
}

/**
 * Matches a run of 16 or more digits, also with spaces, line breaks, `0x`, `\x`, colons, commas,
 * `-` or `%` between them.
 */
const runs = /[\da-f](?:(?:[\s:,%-]|\\x|0x){0,3}[\da-f]){15,}/gi;

/** Returns every reading of the text: bytes in order, and bytes swapped in words of two. */
export function hexTexts(text: string): readonly HexText[] {
  const found = [...text.matchAll(runs)].map(({ 0: run, index }) => digitsOf(run, index));
  if (found.length === 0) return [];
  return [
    ...[0, 1].map((from) => decoded(found, { from, bytes: [0] })),
    ...[0, 1, 2, 3].map((from) => decoded(found, { from, bytes: [2, 0] })),
  ];
}

interface Digits {
  readonly count: number;
  readonly values: Uint8Array;
  /** Offset of each digit in the text. */
  readonly at: Uint32Array;
}

/** Returns the digits of a run that begins at `offset`, without the zero of `0x`. */
function digitsOf(run: string, offset: number): Digits {
  const values = new Uint8Array(run.length);
  const at = new Uint32Array(run.length);
  let count = 0;
  for (let index = 0; index < run.length; index++) {
    const value = valueOf(run.charCodeAt(index));
    if (value < 0 || (value === 0 && run[index + 1] === 'x')) continue;
    values[count] = value;
    at[count++] = offset + index;
  }
  return { count, values, at };
}

/** Returns the value of a digit by its character code; -1 for any other character. */
function valueOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

interface Reading {
  /** Number of digits that are skipped at the start of each run. */
  readonly from: number;
  /** Offsets, in digits, of the bytes of one word, in the order of the value. */
  readonly bytes: readonly number[];
}

/** Decodes whole words only. The span of each byte is the span of its word. */
function decoded(found: readonly Digits[], { from, bytes }: Reading): HexText {
  const length = found.reduce((sum, { count }) => sum + Math.ceil(count / 2) + 1, 0);
  const codes = Buffer.alloc(length);
  const [starts, ends] = [new Uint32Array(length), new Uint32Array(length)];
  const step = bytes.length * 2;
  let size = 0;
  for (const { count, values, at } of found) {
    for (let word = from; word + step <= count; word += step)
      for (const byte of bytes) {
        codes[size] = (values[word + byte] ?? 0) * 16 + (values[word + byte + 1] ?? 0);
        starts[size] = at[word] ?? 0;
        ends[size++] = (at[word + step - 1] ?? 0) + 1;
      }
    codes[size++] = 10;
  }
  return {
    text: codes.toString('latin1', 0, size),
    span: (start, end) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }),
  };
}
