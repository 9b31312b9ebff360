/**
 * Spending of sessions, read from their journals, whichever process writes to them. Each read of a
 * journal continues where the previous read ended. A call is counted when its reply is recorded.
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
  /** Number of bytes read so far, up to the end of a complete line. */
  readonly bytes: number;
  /** Ids of the sessions that this session started. */
  readonly children: readonly SessionId[];
}

const fresh: ReadSoFar = { ...nothingSpent, bytes: 0, children: [] };
/**
 * Tolerated difference between this computer's clock and the clock of a file server, in
 * milliseconds. A journal that was last changed more than this time before `#sinceMs` is skipped:
 * it cannot contain a call to count.
 */
const fileClockMs = 3_600_000;

export class JournalSpending {
  readonly #home: Home;
  /** Start of the period: calls before this time are not counted. */
  readonly #sinceMs: number;
  readonly #read = new Map<SessionId, ReadSoFar>();

  constructor(home: Home, sinceMs: number) {
    this.#home = home;
    this.#sinceMs = sinceMs;
  }

  /**
   * Resolves with the total spending of the sessions with these ids. Rejects with `UserFacing` when
   * an existing journal cannot be read.
   */
  async of(ids: readonly SessionId[]): Promise<Spent> {
    const read = await Promise.all(ids.map((id) => this.#readOn(id)));
    return read.reduce<Spent>(sumOf, nothingSpent);
  }

  /**
   * Resolves with the total spending of the sessions with these ids and of all their descendants.
   */
  async withChildren(ids: readonly SessionId[]): Promise<Spent> {
    let total = nothingSpent;
    const visited = new Set<SessionId>();
    for (let next = ids; next.length > 0;) {
      for (const id of next) visited.add(id);
      total = sumOf(total, await this.of(next));
      next = next
        .flatMap((id) => this.#read.get(id)?.children ?? [])
        .filter((id) => !visited.has(id));
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
      // A file that shrank means that a failed write was rolled back. The lines of that write
      // were counted already, so the whole journal is read again.
      const from = size < before.bytes ? fresh : before;
      const now = await readOn(file, from, size, this.#sinceMs);
      this.#read.set(id, now);
      return now;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        throw new UserFacing(
          `Spending cannot be read: ${messageOf(error)}.`,
          'Make the file readable, or move the folder of its session out of the Helios home folder.',
        );
      this.#read.delete(id);
      return fresh;
    }
  }
}

/**
 * Adds to `before` the spending recorded in the complete lines from byte `before.bytes` to byte
 * `end`.
 */
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

/**
 * Returns the spending recorded in one line. Lines without a cost (most of them) are not parsed.
 */
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
    // A damaged line is treated as a line without a cost.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const sumOf = (one: Spent, other: Spent): Spent => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
  hasUnknownCost: one.hasUnknownCost || other.hasUnknownCost,
});
