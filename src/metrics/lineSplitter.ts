import { isAscii } from 'node:buffer';

const defaultMaxLineBytes = 1024 * 1024;

/** `endOffset`: position in the stream of the first byte after the byte that ended the line. */
type LineListener = (line: string, endOffset: number) => void;

/**
 * Cuts a byte stream into lines, however the bytes arrive. `\n` and `\r` end a line (progress bars
 * draw with a bare `\r`); `\r\n` is one end. Lines are UTF-8; a character split between two chunks
 * is whole again. Of a line longer than `maxLineBytes` the first part is handed over when it ends
 * and the rest is dropped, so that memory stays bounded.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  #received: number;
  #lineEnd: number;
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #isAfterReturn = false;

  constructor(offset: number, maxLineBytes = defaultMaxLineBytes) {
    this.#received = offset;
    this.#lineEnd = offset;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Position of the next byte that is expected. */
  get received(): number {
    return this.#received;
  }

  /** Position after the last line that was handed over. */
  get lineEnd(): number {
    return this.#lineEnd;
  }

  /** The bytes at `received` and following. */
  push(bytes: Uint8Array, onLine: LineListener): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // One decoding for the whole chunk, a search in it and slices of it are several times faster
    // than a look at each byte.
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

  /** Hands over what is carried as a last line, if there is anything. */
  end(onLine: LineListener): void {
    if (this.#carriedBytes > 0) this.#handOver('', 0, onLine);
  }

  #handOver(tail: string | Buffer, endInChunk: number, onLine: LineListener): void {
    this.#lineEnd = this.#received + endInChunk;
    if (this.#carriedBytes === 0) return onLine(this.#bounded(tail), this.#lineEnd);
    this.#carry(typeof tail === 'string' ? Buffer.from(tail, 'latin1') : tail);
    const line = Buffer.concat(this.#carried).toString('utf8');
    this.#carried = [];
    this.#carriedBytes = 0;
    onLine(line, this.#lineEnd);
  }

  #bounded(line: string | Buffer): string {
    const kept = line.length > this.#maxLineBytes ? line.slice(0, this.#maxLineBytes) : line;
    return typeof kept === 'string' ? kept : kept.toString('utf8');
  }

  #carry(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const room = this.#maxLineBytes - this.#carriedBytes;
    if (room <= 0) return;
    // A copy: the caller may use its buffer again.
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#carried.push(kept);
    this.#carriedBytes += kept.length;
  }
}
