/**
 * What all sessions of a home have spent today, in whichever process: a fold over the journals that were written to today.
 * Only what was added since the last look is read. A call that another session has under way is seen once its reply is
 * recorded: two sessions together can pass a limit of the day by the calls that they make at the same moment.
 */
import { open, stat } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import { contextTokens } from '../../models/model.ts';
import type { Home } from '../../storage/home.ts';
import { fromJsonLine } from '../../storage/jsonLine.ts';
import type { JournalEvent } from '../journal/events.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import { nothingSpent, startOfDay } from './measures.ts';
import { type DaySpent } from '../contract/budget.ts';

interface ReadSoFar extends DaySpent {
  /** Whole lines up to here are read. */
  readonly bytes: number;
}

const fresh: ReadSoFar = { ...nothingSpent, bytes: 0 };
const newline = 0x0a;
/** The clock of a file server may be off by this much. */
const fileClockMs = 3_600_000;

export class DaySpending {
  readonly #home: Home;
  readonly #clock: Clock;
  #dayMs = 0;
  #read = new Map<string, ReadSoFar>();
  #reading: Promise<unknown> = Promise.resolve();

  constructor(home: Home, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  /** As the journals stand now. Rejects with `UserFacing` when one that is there cannot be read. */
  spent(): Promise<DaySpent> {
    const spent = this.#reading.then(() => this.#refreshed());
    this.#reading = spent.catch(() => undefined);
    return spent;
  }

  async #refreshed(): Promise<DaySpent> {
    const dayMs = startOfDay(this.#clock.now());
    if (dayMs !== this.#dayMs) this.#read = new Map();
    this.#dayMs = dayMs;
    const ids = await sessionIds(this.#home);
    await Promise.all(ids.map((id) => this.#readOn(this.#home.journalFile(id))));
    return [...this.#read.values()].reduce<DaySpent>(sumOf, nothingSpent);
  }

  async #readOn(file: string): Promise<void> {
    const before = this.#read.get(file) ?? fresh;
    try {
      const { size, mtimeMs } = await stat(file);
      if (size === before.bytes || (before === fresh && mtimeMs < this.#dayMs - fileClockMs)) return;
      // A write that failed was taken back: what was read of it did not happen.
      const from = size < before.bytes ? fresh : before;
      this.#read.set(file, addLines(from, await readFrom(file, from.bytes, size), this.#dayMs));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        throw new UserFacing(
          `What was spent today cannot be told: ${messageOf(error)}.`,
          'Let the file be read, or move its session out of the home folder.',
        );
      this.#read.delete(file);
    }
  }
}

async function readFrom(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function addLines(before: ReadSoFar, added: Buffer, dayMs: number): ReadSoFar {
  const end = added.lastIndexOf(newline) + 1;
  const spent = added
    .subarray(0, end)
    .toString('utf8')
    .split('\n')
    .flatMap((line) => spentIn(line, dayMs) ?? [])
    .reduce<DaySpent>(sumOf, before);
  return { ...spent, bytes: before.bytes + end };
}

/** Most lines tell of no cost: they are not parsed. */
function spentIn(line: string, dayMs: number): DaySpent | undefined {
  if (!line.includes('"cost"')) return undefined;
  const event = eventIn(line);
  if (event === undefined || event.at < dayMs) return undefined;
  if (event.type !== 'model.replied' && event.type !== 'model.consulted') return undefined;
  const { cost, usage } = event;
  return {
    usd: 'usd' in cost ? cost.usd : 0,
    tokens: contextTokens(usage) + usage.outputTokens,
    hasUnknownCost: 'unknown' in cost,
  };
}

function eventIn(line: string): JournalEvent | undefined {
  try {
    return fromJsonLine(line) as JournalEvent;
  } catch (error) {
    // A damaged line is nobody's call.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const sumOf = (one: DaySpent, other: DaySpent): DaySpent => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
  hasUnknownCost: one.hasUnknownCost || other.hasUnknownCost,
});
