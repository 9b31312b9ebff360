/**
 * Reads the lines of a file that may be larger than memory or than the longest possible string. At
 * any time, only one chunk and the longest line are in memory.
 */
import { constants } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';

const newline = 10;
const usualChunkBytes = 1024 * 1024;

export interface LineRange {
  /** Offset of the first line. Default: the beginning of the file. */
  readonly start?: number;
  /** Offset at which reading stops. Default: the end of the file. */
  readonly end?: number;
  /** Bytes per read. Default: 1 MiB. */
  readonly chunkBytes?: number;
  /**
   * Maximum length of a line, in bytes; longer lines are skipped. Must be at least `chunkBytes`.
   * Default: a length that always fits into a string.
   */
  readonly maxLineBytes?: number;
}

export interface LinePiece {
  /** Lines in file order, without newlines; `undefined` instead of a skipped line. */
  readonly lines: readonly (string | undefined)[];
  /** Size of these lines in the file, newlines included. */
  readonly bytes: number;
  /** True for the last piece if it holds one line that does not end with a newline. */
  readonly isTail: boolean;
}

/**
 * Yields the lines in file order, in pieces of about one chunk. A character that is split between
 * two chunks is decoded correctly.
 */
export async function* linesForwards(
  handle: Pick<FileHandle, 'read'>,
  {
    start = 0,
    end = Infinity,
    chunkBytes = usualChunkBytes,
    maxLineBytes = constants.MAX_STRING_LENGTH,
  }: LineRange,
): AsyncGenerator<LinePiece, void, void> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(0, end - start)));
  const begun = new BegunLine(maxLineBytes);
  for (let at = start; at < end;) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - at), at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const bytes = chunk.subarray(0, bytesRead);
    const first = bytes.indexOf(newline);
    if (first === -1) {
      begun.add(bytes);
      continue;
    }
    const last = bytes.lastIndexOf(newline);
    const wholeBytes = begun.bytes + last + 1;
    const lines = [begun.end(bytes.subarray(0, first))];
    if (last > first) lines.push(...bytes.toString('utf8', first + 1, last).split('\n'));
    begun.add(bytes.subarray(last + 1));
    yield { lines, bytes: wholeBytes, isTail: false };
  }
  const { bytes } = begun;
  if (bytes > 0) yield { lines: [begun.end(Buffer.alloc(0))], bytes, isTail: true };
}

/** Collects the parts of a line whose end was not read yet. */
class BegunLine {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a part of the line. Copies the bytes, since the caller reuses the chunk. */
  add(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (bytes.length > 0) this.#parts.push(Buffer.from(bytes));
  }

  /** Adds the last part, returns the whole line, and starts the next line. */
  end(bytes: Buffer): string | undefined {
    const isTooLong = this.#bytes + bytes.length > this.#maxBytes;
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return isTooLong ? undefined : Buffer.concat([...parts, bytes]).toString('utf8');
  }
}
