/**
 * What sessions have spent, read from their journals, whoever writes them. Only what was added
 * since the last look is read. A call that is under way is counted once its reply is recorded.
 */
import { open, stat } from 'node:fs/promises';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { contextTokens } from '../../models/model.ts';
import type { Home } from '../../storage/home.ts';
import { fromJsonLine } from '../../storage/jsonLine.ts';
import { linesForwards, type LinePiece } from '../../storage/linesForwards.ts';
import type { Spent } from '../contract/budget.ts';
import type { JournalEvent } from '../journal/events.ts';
import { nothingSpent } from './measures.ts';

interface ReadSoFar extends Spent {
  /** Whole lines up to here are read. */
  readonly bytes: number;
  /** Sessions that this one started. */
  readonly children: readonly SessionId[];
}

const fresh: ReadSoFar = { ...nothingSpent, bytes: 0, children: [] };
/** The clock of a file server may be off by this much. */
const fileClockMs = 3_600_000;

export class JournalSpending {
  readonly #home: Home;
  /** Calls before this time do not count. */
  readonly #sinceMs: number;
  readonly #read = new Map<SessionId, ReadSoFar>();

  constructor(home: Home, sinceMs: number) {
    this.#home = home;
    this.#sinceMs = sinceMs;
  }

  /** Of these sessions. Rejects with `UserFacing` when a journal that is there cannot be read. */
  async of(ids: readonly SessionId[]): Promise<Spent> {
    const read = await Promise.all(ids.map((id) => this.#readOn(id)));
    return read.reduce<Spent>(sumOf, nothingSpent);
  }

  /** Of these sessions and of those that they started, down to the last. */
  async withChildren(ids: readonly SessionId[]): Promise<Spent> {
    let total = nothingSpent;
    const seen = new Set<SessionId>();
    for (let next = ids; next.length > 0;) {
      for (const id of next) seen.add(id);
      total = sumOf(total, await this.of(next));
      next = next.flatMap((id) => this.#read.get(id)?.children ?? []).filter((id) => !seen.has(id));
    }
    return total;
  }

  async #readOn(id: SessionId): Promise<Spent> {
    const before = this.#read.get(id) ?? fresh;
    const file = this.#home.journalFile(id);
    try {
      const { size, mtimeMs } = await stat(file);
      if (size === before.bytes || (before === fresh && mtimeMs < this.#sinceMs - fileClockMs))
        return before;
      // A write that failed was taken back: what was read of it did not happen.
      const from = size < before.bytes ? fresh : before;
      const now = await readOn(file, from, size, this.#sinceMs);
      this.#read.set(id, now);
      return now;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        throw new UserFacing(
          `What was spent cannot be told: ${messageOf(error)}.`,
          'Let the file be read, or move its session out of the home folder.',
        );
      this.#read.delete(id);
      return fresh;
    }
  }
}

/** What stands in whole lines from `before` up to `end`, added to it. */
async function readOn(
  file: string,
  before: ReadSoFar,
  end: number,
  sinceMs: number,
): Promise<ReadSoFar> {
  const handle = await open(file, 'r');
  try {
    let read = before;
    for await (const piece of linesForwards(handle, { start: before.bytes, end }))
      if (!piece.isTail) read = addLines(read, piece, sinceMs);
    return read;
  } finally {
    await handle.close();
  }
}

function addLines(before: ReadSoFar, piece: LinePiece, sinceMs: number): ReadSoFar {
  const lines = piece.lines.filter((line) => line !== undefined);
  const spent = lines.flatMap((line) => spentIn(line, sinceMs) ?? []).reduce<Spent>(sumOf, before);
  const children = [...before.children, ...lines.flatMap((line) => childIn(line) ?? [])];
  return { ...spent, bytes: before.bytes + piece.bytes, children };
}

/** Most lines tell of no cost: they are not parsed. */
function spentIn(line: string, sinceMs: number): Spent | undefined {
  if (!line.includes('"cost"')) return undefined;
  const event = eventIn(line);
  if (event === undefined || event.at < sinceMs) return undefined;
  if (event.type !== 'model.replied' && event.type !== 'model.consulted') return undefined;
  const { cost, usage } = event;
  return {
    usd: 'usd' in cost ? cost.usd : 0,
    tokens: contextTokens(usage) + usage.outputTokens,
    hasUnknownCost: 'unknown' in cost,
  };
}

function childIn(line: string): SessionId | undefined {
  if (!line.includes('"child.started"')) return undefined;
  const event = eventIn(line);
  return event?.type === 'child.started' ? event.sessionId : undefined;
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

const sumOf = (one: Spent, other: Spent): Spent => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
  hasUnknownCost: one.hasUnknownCost || other.hasUnknownCost,
});
