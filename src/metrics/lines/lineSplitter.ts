import { isAscii } from 'node:buffer';

const defaultMaxLineBytes = 1024 * 1024;
const carriageReturn = 0x0d;

/** `endOffset`: position in the stream after the line and its line end. */
type LineListener = (line: string, endOffset: number) => void;

/** Reads lines that it recognises in the bytes, so that no string is created for them. */
export interface LineMatcher {
  /**
   * Returns the position of the line end if the line at `start` is recognised, otherwise -1.
   * `text` has the same characters as `bytes`. A line end follows `start`.
   */
  match(bytes: DataView, text: string, start: number): number;
  /** Called after a line was recognised, with its `endOffset`: see `LineListener`. */
  onMatch(endOffset: number): void;
}

/**
 * Splits a byte stream into lines, regardless of chunk boundaries. `\n` and `\r` end a line
 * (progress bars print a bare `\r`); `\r\n` is one line end. Lines are UTF-8; characters split
 * between two chunks are joined. Of a line longer than `maxLineBytes`, only the first
 * `maxLineBytes` are emitted, so that memory stays bounded.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #received: number;
  #lineEnd: number;
  #lines = 0;
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #isAfterReturn = false;

  constructor(offset: number, maxLineBytes = defaultMaxLineBytes) {
    this.#received = offset;
    this.#lineEnd = offset;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Position in the stream of the next byte to push. */
  get received(): number {
    return this.#received;
  }

  /** Position in the stream after the last emitted line. */
  get lineEnd(): number {
    return this.#lineEnd;
  }

  /** Number of emitted lines. */
  get lines(): number {
    return this.#lines;
  }

  /**
   * Adds bytes, which begin at the position `received`, and emits the lines that they complete,
   * except for lines that `matcher` recognises.
   */
  push(bytes: Uint8Array, onLine: LineListener, matcher?: LineMatcher): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Decoding and searching the whole chunk is several times faster than inspecting each byte.
    const text = buffer.toString('latin1');
    const isText = isAscii(buffer);
    const find = (end: string, from: number): number => {
      const at = text.indexOf(end, from);
      return at < 0 ? text.length : at;
    };
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lastEnd = text.lastIndexOf('\n');
    let start = 0;
    let newlineAt = -1;
    let returnAt = -1;
    for (;;) {
      const mayMatch = matcher !== undefined && start <= lastEnd && this.#carriedBytes === 0;
      const matchEnd = mayMatch ? matcher.match(view, text, start) : -1;
      if (matchEnd >= 0) {
        this.#isAfterReturn = buffer[matchEnd] === carriageReturn;
        this.#countLine(matchEnd + 1);
        matcher?.onMatch(this.#lineEnd);
        start = matchEnd + 1;
        continue;
      }
      if (newlineAt < start) newlineAt = find('\n', start);
      if (returnAt < start) returnAt = find('\r', start);
      const index = Math.min(newlineAt, returnAt);
      if (index === text.length) break;
      const isReturn = index === returnAt;
      const isSecondOfPair =
        !isReturn && this.#isAfterReturn && index === start && this.#carriedBytes === 0;
      this.#isAfterReturn = isReturn;
      if (!isSecondOfPair)
        this.#handOver(
          isText ? text.slice(start, index) : buffer.subarray(start, index),
          index + 1,
          onLine,
        );
      start = index + 1;
    }
    this.#carry(buffer.subarray(start));
    this.#received += buffer.length;
  }

  /** Emits the remaining bytes as a last line, if any. */
  end(onLine: LineListener): void {
    if (this.#carriedBytes > 0) this.#handOver('', 0, onLine);
  }

  #countLine(endInChunk: number): void {
    this.#lineEnd = this.#received + endInChunk;
    this.#lines += 1;
  }

  #handOver(tail: string | Buffer, endInChunk: number, onLine: LineListener): void {
    this.#countLine(endInChunk);
    if (this.#carriedBytes === 0) return onLine(this.#bounded(tail), this.#lineEnd);
    this.#carry(typeof tail === 'string' ? Buffer.from(tail, 'latin1') : tail);
    const line = Buffer.concat(this.#carried).toString('utf8');
    this.#carried = [];
    this.#carriedBytes = 0;
    onLine(line, this.#lineEnd);
  }

  #bounded(line: string | Buffer): string {
    const start = line.length > this.#maxLineBytes ? line.slice(0, this.#maxLineBytes) : line;
    return typeof start === 'string' ? start : start.toString('utf8');
  }

  #carry(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const room = this.#maxLineBytes - this.#carriedBytes;
    if (room <= 0) return;
    // Copies the bytes, since the caller may reuse the buffer.
    const copy = Buffer.from(bytes.subarray(0, room));
    this.#carried.push(copy);
    this.#carriedBytes += copy.length;
  }
}
