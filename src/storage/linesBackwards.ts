/**
 * Finds the lines of a large file that contain given words, the last line first. Searching a
 * gigabyte takes less than a second: the bytes are searched without decoding, in pieces that fit
 * the processor's cache, and only lines with a match are decoded.
 */
import type { FileHandle } from 'node:fs/promises';
import { openIfThere } from './openIfThere.ts';

const usualBlockBytes = 1024 * 1024;
const pieceBytes = 64 * 1024;
/**
 * Length by which two neighbouring pieces overlap, so that a word on their border is found. Longer
 * words may be missed.
 */
export const longestWordBytes = 1024;
const newline = 10;

export interface BackwardsOptions {
  readonly signal?: AbortSignal;
  /**
   * Bytes per read. Choose a small number when the match is probably near the end of the file.
   * Default: 1 MB.
   */
  readonly blockBytes?: number;
}

/**
 * Yields each line that every pattern matches, the last line first. The patterns must be global and
 * match bytes that are decoded as Latin-1 (see `bytePattern`). A missing file has no lines. Rejects
 * with the signal's reason.
 */
export async function* linesBackwards(
  file: string,
  patterns: readonly RegExp[],
  { signal, blockBytes = usualBlockBytes }: BackwardsOptions = {},
): AsyncGenerator<string, void, void> {
  const handle = await openIfThere(file);
  if (handle === undefined) return;
  try {
    // The end of a line that begins in the preceding block, which is read next.
    let rest: Buffer = Buffer.alloc(0);
    for (let end = (await handle.stat()).size; end > 0;) {
      signal?.throwIfAborted();
      const start = Math.max(0, end - Math.max(blockBytes, rest.length));
      const block = await readAll(handle, start, end - start);
      const bytes = rest.length === 0 ? block : Buffer.concat([block, rest]);
      const cut = start === 0 ? 0 : block.indexOf(newline) + 1;
      if (start === 0 || cut > 0) yield* linesIn(bytes.subarray(cut), patterns);
      // Copied, since a view would hold the whole block in memory.
      rest = start > 0 && cut === 0 ? bytes : Buffer.from(bytes.subarray(0, cut));
      end = start;
    }
  } finally {
    await handle.close();
  }
}

/** Reads `length` bytes from `start`; returns fewer bytes only if the file became shorter. */
async function readAll(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/**
 * Returns the lines that every pattern matches. Searches for the word that first appears furthest
 * from the start, which is probably the rarest. Checks the other words only in lines that contain
 * that word.
 */
function linesIn(bytes: Buffer, patterns: readonly RegExp[]): string[] {
  const firsts = patterns.map((pattern) => nextHit(bytes, 0, pattern) ?? Infinity);
  const latest = Math.max(...firsts);
  const rarest = patterns[firsts.indexOf(latest)];
  if (rarest === undefined || latest === Infinity) return [];
  const others = patterns.filter((pattern) => pattern !== rarest);
  const found: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const hit = nextHit(bytes, start, rarest);
    if (hit === undefined) break;
    const begin = bytes.lastIndexOf(newline, hit) + 1;
    const next = bytes.indexOf(newline, hit);
    const end = next === -1 ? bytes.length : next;
    const line = bytes.subarray(begin, end);
    if (others.every((pattern) => nextHit(line, 0, pattern) !== undefined))
      found.push(line.toString('utf8'));
    start = end + 1;
  }
  return found.reverse();
}

/** Returns the position of the first match at or after `from`. */
function nextHit(bytes: Buffer, from: number, pattern: RegExp): number | undefined {
  for (let at = from; at < bytes.length; at += pieceBytes) {
    const piece = bytes.toString(
      'latin1',
      at,
      Math.min(bytes.length, at + pieceBytes + longestWordBytes),
    );
    pattern.lastIndex = 0;
    const hit = pattern.exec(piece);
    if (hit !== null) return at + hit.index;
  }
  return undefined;
}

/**
 * Returns a global, case-insensitive pattern that finds `word` in JSON text whose bytes are decoded
 * as Latin-1. The pattern does not match field names, nor the values of the fields in `apart`.
 */
export const bytePattern = (word: string, apart: readonly string[] = []): RegExp =>
  new RegExp(Array.from(word, charPattern).join('') + '(?!":)' + notIn(apart), 'g');

const notIn = (fields: readonly string[]): string =>
  fields.length === 0 ? '' : `(?<!"(?:${fields.join('|')})":"[^"]{0,120})`;

function charPattern(char: string): string {
  const forms = [...new Set([char, char.toLowerCase(), char.toUpperCase()].map(bytesOf))];
  if (forms.length === 1) return forms.join('');
  return forms.every((form) => form.length === 1)
    ? `[${forms.join('')}]`
    : `(?:${forms.join('|')})`;
}

/** Returns the UTF-8 bytes of `char` as in a JSON string, escaped for use in a pattern. */
const bytesOf = (char: string): string =>
  Buffer.from(JSON.stringify(char).slice(1, -1), 'utf8')
    .toString('latin1')
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
