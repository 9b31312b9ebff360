/** Reads a journal that somebody else may be writing: each time only what was added. Never writes. */
import type { FileHandle } from 'node:fs/promises';
import { parseEvent, type Envelope } from './journal.ts';
import { openIfThere } from './openIfThere.ts';

export interface JournalPiece<E> {
  /** Oldest first; may be empty. */
  readonly events: readonly (E & Envelope)[];
  /** True where the journal is read from its beginning: the first time, and when it became shorter. */
  readonly isFromStart: boolean;
  /** Lines of this piece that are no events. */
  readonly damage: readonly string[];
}

const pieceBytes = 1024 * 1024;
const newline = 10;

export class JournalFollower<E> {
  readonly #file: string;
  /** Up to here everything was given out. */
  #offset = 0;
  #lines = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Bytes of the journal that were given out. */
  get offset(): number {
    return this.#offset;
  }

  /** What was added since it was read last, in pieces of about a megabyte. A missing file is an empty journal. */
  async *read(): AsyncGenerator<JournalPiece<E>> {
    const handle = await openIfThere(this.#file);
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      // What was never acknowledged may have been taken back.
      if (size < this.#offset) this.#offset = this.#lines = 0;
      yield* this.#pieces(handle, size);
    } finally {
      await handle.close();
    }
  }

  async *#pieces(handle: FileHandle, size: number): AsyncGenerator<JournalPiece<E>> {
    let bytes = pieceBytes;
    while (this.#offset < size) {
      const wanted = Math.min(bytes, size - this.#offset);
      const buffer = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await handle.read(buffer, 0, wanted, this.#offset);
      const piece = buffer.subarray(0, bytesRead);
      const end = piece.lastIndexOf(newline) + 1;
      const isLast = this.#offset + bytesRead >= size || bytesRead === 0;
      if (end > 0) yield this.#take(piece.subarray(0, end));
      else if (!isLast) bytes *= 2;
      if (!isLast) continue;
      yield* this.#whole(piece.subarray(end));
      return;
    }
  }

  /** The last line when only its newline is missing: the writer ended there, or is about to write it. */
  *#whole(tail: Buffer): Generator<JournalPiece<E>> {
    if (tail.length > 0 && parseEvent<E>(tail.toString('utf8')) !== undefined) yield this.#take(tail);
  }

  #take(bytes: Buffer): JournalPiece<E> {
    const isFromStart = this.#offset === 0;
    const damage: string[] = [];
    const events: (E & Envelope)[] = [];
    const lines = bytes.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) {
      this.#lines += 1;
      if (line === '') continue;
      const event = parseEvent<E>(line);
      if (event !== undefined) events.push(event);
      else damage.push(`line ${this.#lines} is not an event and was left out`);
    }
    this.#offset += bytes.length;
    return { events, isFromStart, damage };
  }
}
