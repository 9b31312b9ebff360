/**
 * Reads the events that were added to a journal since the last read, also while another process
 * writes the journal. Never writes.
 */
import type { FileHandle } from 'node:fs/promises';
import { parseEvent, type Envelope } from './journal.ts';
import { linesForwards, type LinePiece } from './linesForwards.ts';
import { openIfThere } from './openIfThere.ts';

export interface JournalPiece<E> {
  /** Oldest first; may be empty. */
  readonly events: readonly (E & Envelope)[];
  /**
   * True when this piece starts at the beginning of the journal: at the first read, and after the
   * file became shorter.
   */
  readonly isFromStart: boolean;
  /** Descriptions of the lines in this piece that are not events. */
  readonly damage: readonly string[];
}

export class JournalFollower<E> {
  readonly #file: string;
  /** Offset in the journal up to which all events were returned. */
  #offset = 0;
  #lines = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Number of bytes of the journal that were read and returned so far. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Yields the events that were added since the last read, in pieces of about a megabyte. A missing
   * file is treated as an empty journal.
   */
  async *read(): AsyncGenerator<JournalPiece<E>> {
    const handle = await openIfThere(this.#file);
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      // The file became shorter: the writer truncates events that could not be flushed to disk.
      // Reads the journal again from the beginning.
      if (size < this.#offset) this.#offset = this.#lines = 0;
      yield* this.#pieces(handle, size);
    } finally {
      await handle.close();
    }
  }

  async *#pieces(handle: FileHandle, size: number): AsyncGenerator<JournalPiece<E>> {
    for await (const piece of linesForwards(handle, { start: this.#offset, end: size }))
      if (!piece.isTail || isEvent(piece)) yield this.#take(piece);
  }

  #take({ lines, bytes }: LinePiece): JournalPiece<E> {
    const isFromStart = this.#offset === 0;
    const damage: string[] = [];
    const events: (E & Envelope)[] = [];
    for (const line of lines) {
      this.#lines += 1;
      if (line === '') continue;
      const event = line === undefined ? undefined : parseEvent<E>(line);
      if (event !== undefined) events.push(event);
      else damage.push(`line ${this.#lines} is not an event and was skipped`);
    }
    this.#offset += bytes;
    return { events, isFromStart, damage };
  }
}

/**
 * Returns true for a last line that contains a complete event without a newline. The writer stopped
 * there, or is about to write the newline.
 */
const isEvent = ({ lines: [line] }: LinePiece): boolean =>
  line !== undefined && parseEvent(line) !== undefined;
