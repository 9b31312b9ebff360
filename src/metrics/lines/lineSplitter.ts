import { isAscii } from 'node:buffer';

const defaultMaxLineBytes = 1024 * 1024;

/** `endOffset`: position in the stream after the line and its line end. */
type LineListener = (line: string, endOffset: number) => void;

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

  /** Adds bytes, which begin at the position `received`, and emits the lines that they complete. */
  push(bytes: Uint8Array, onLine: LineListener): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Decoding and searching the whole chunk is several times faster than inspecting each byte.
    const text = buffer.toString('latin1');
    const isText = isAscii(buffer);
    const find = (end: string, from: number): number => {
      const at = text.indexOf(end, from);
      return at < 0 ? text.length : at;
    };
    let start = 0;
    let newlineAt = find('\n', 0);
    let returnAt = find('\r', 0);
    for (
      let index = Math.min(newlineAt, returnAt);
      index < text.length;
      index = Math.min(newlineAt, returnAt)
    ) {
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
      if (isReturn) returnAt = find('\r', start);
      else newlineAt = find('\n', start);
    }
    this.#carry(buffer.subarray(start));
    this.#received += buffer.length;
  }

  /** Emits the remaining bytes as a last line, if any. */
  end(onLine: LineListener): void {
    if (this.#carriedBytes > 0) this.#handOver('', 0, onLine);
  }

  #handOver(tail: string | Buffer, endInChunk: number, onLine: LineListener): void {
    this.#lineEnd = this.#received + endInChunk;
    this.#lines += 1;
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
