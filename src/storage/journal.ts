/**
 * The append-only journal of a session: one JSON event per line. An event is on disk before
 * `append` resolves. Written events never change.
 */
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { makeFolders } from '../base/folders.ts';
import { newEventId } from '../base/ids.ts';
import { fromJsonLine, toJsonLine } from './jsonLine.ts';
import { linesForwards, type LinePiece, type LineRange } from './linesForwards.ts';
import { openIfThere } from './openIfThere.ts';
import { storageFailure } from './storageFailure.ts';

export interface Envelope {
  /** Version of the event format. */
  readonly v: 1;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface JournalReading<E> {
  /** Oldest first. Events of an unknown type or version are included unchanged. */
  readonly events: readonly (E & Envelope)[];
  /** Descriptions of dropped or suspicious lines; empty for an intact journal. */
  readonly damage: readonly string[];
  /**
   * True when the last line is complete. False when it is truncated: the next event must then start
   * on a new line.
   */
  readonly endsCleanly: boolean;
}

/** Reads every intact event, however long the journal is. A missing file is an empty journal. */
export async function readJournal<E>(
  file: string,
  range: Pick<LineRange, 'chunkBytes' | 'maxLineBytes'> = {},
): Promise<JournalReading<E>> {
  const damage: string[] = [];
  const events: (E & Envelope)[] = [];
  let endsCleanly = true;
  let number = 0;
  for await (const { lines, bytes, isTail } of linesOf(file, range)) {
    for (const line of lines) {
      number += 1;
      if (line === '') continue;
      // A last line that lacks only its newline holds a complete event; the next write adds the
      // newline first.
      const event = line === undefined ? undefined : parseEvent<E>(line);
      if (event !== undefined) events.push(event);
      else if (!isTail) damage.push(`line ${number} is not an event and was skipped`);
      else
        damage.push(
          `the last line is truncated (${line?.length ?? bytes} characters) and was skipped`,
        );
    }
    endsCleanly = !isTail;
  }
  return { events, damage, endsCleanly };
}

async function* linesOf(file: string, range: LineRange): AsyncGenerator<LinePiece, void, void> {
  const handle = await openIfThere(file);
  if (handle === undefined) return;
  try {
    yield* linesForwards(handle, range);
  } finally {
    await handle.close();
  }
}

/** Returns the event in a line of the journal, or `undefined` when the line is not an event. */
export function parseEvent<E>(line: string): (E & Envelope) | undefined {
  try {
    const value = fromJsonLine(line);
    return isEvent<E>(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isEvent = <E>(value: unknown): value is E & Envelope =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'id' in value &&
  typeof value.id === 'string' &&
  'at' in value &&
  typeof value.at === 'number';

interface Pending<E> {
  readonly event: E & Envelope;
  resolve(event: E & Envelope): void;
  reject(error: Error): void;
}

interface Opened {
  readonly file: string;
  readonly clock: Clock;
  readonly handle: FileHandle;
  readonly startsFresh: boolean;
  readonly sizeBytes: number;
}

/**
 * Appends events to a journal. A session has at most one `Journal`, in the process that holds the
 * session's lease.
 */
export class Journal<E extends object> {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #handle: FileHandle;
  #pending: Pending<E>[] = [];
  #writing: Promise<void> | undefined;
  #startsFresh: boolean;
  /** Size of the journal up to the last event that `append` reported as written. */
  #soundBytes: number;

  private constructor({ file, clock, handle, startsFresh, sizeBytes }: Opened) {
    this.#file = file;
    this.#clock = clock;
    this.#handle = handle;
    this.#startsFresh = startsFresh;
    this.#soundBytes = sizeBytes;
  }

  /**
   * Opens a journal for appending. Creates a missing file and its folder. Rejects with
   * `StorageFailure`.
   */
  static async open<E extends object>(
    file: string,
    clock: Clock,
  ): Promise<{ journal: Journal<E>; reading: JournalReading<E> }> {
    const reading = await readJournal<E>(file);
    try {
      await makeFolders(path.dirname(file), 0o700);
      const handle = await open(file, 'a', 0o600);
      const { size: sizeBytes } = await handle.stat();
      return {
        journal: new Journal<E>({
          file,
          clock,
          handle,
          startsFresh: reading.endsCleanly,
          sizeBytes,
        }),
        reading,
      };
    } catch (error) {
      throw storageFailure(error, file);
    }
  }

  /**
   * Appends an event and resolves once it is on disk. Events are written in the order of the calls;
   * events that wait at the same time are flushed together. Rejects with `StorageFailure`; the
   * event is then not part of the journal.
   */
  append(event: E): Promise<E & Envelope> {
    const at = this.#clock.now();
    const recorded = { v: 1 as const, id: newEventId(at), at, ...event };
    return new Promise((resolve, reject) => {
      this.#pending.push({ event: recorded, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle.close();
  }

  async #writeAll(): Promise<void> {
    // Waits for one microtask, so that events that are appended together share a flush.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0);
      try {
        await this.#flush(batch.map((pending) => `${toJsonLine(pending.event)}\n`).join(''));
        for (const pending of batch) pending.resolve(pending.event);
      } catch (error) {
        await this.#takeBack();
        const failure = storageFailure(error, this.#file);
        for (const pending of batch) pending.reject(failure);
      }
    }
    this.#writing = undefined;
  }

  async #flush(lines: string): Promise<void> {
    const text = this.#startsFresh ? lines : `\n${lines}`;
    await this.#handle.appendFile(text);
    await this.#handle.datasync();
    this.#startsFresh = true;
    this.#soundBytes += Buffer.byteLength(text);
  }

  /**
   * Removes what a failed write left at the end of the file. Readers must not see these events,
   * since `append` rejected them.
   */
  async #takeBack(): Promise<void> {
    try {
      await this.#handle.truncate(this.#soundBytes);
    } catch (error) {
      // The remains of the failed write stay in the file, so the next event starts on a new line.
      // If the file is closed (EBADF), no event follows.
      if (codeOf(error) !== 'EBADF') this.#startsFresh = false;
    }
  }
}
