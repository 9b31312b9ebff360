/**
 * Keeps the index of sessions in step with their journals. Of a journal that grew, only what was
 * added is read, as long as this process remembers the state before; otherwise it is read whole,
 * once.
 */
import { stat } from 'node:fs/promises';
import { codeOf, messageOf } from '../../base/errors.ts';
import { isRunId, isSessionId, type SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { formatValue } from '../../base/text.ts';
import { summaryFor, type Ledger } from '../../experiments/ledger.ts';
import { handleOf } from '../../runs/run.ts';
import type { Home } from '../../storage/home.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import type {
  FoundAttempt,
  IndexedRun,
  IndexedSession,
  IndexedSessionRow,
  SessionIndex,
} from '../../storage/sessionIndex.ts';
import { indexedAttempts } from '../experiments/earlierAttempts.ts';
import type { RunPlace, Session, SessionSummary } from '../contract/sessions.ts';
import type { EndReason, JournalEvent, SessionEvent } from '../journal/events.ts';
import { applyEvent, foldSession } from '../journal/fold.ts';
import { ledgerOf } from '../runs/sessionRuns.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import type { Phase, RunState, SessionState } from '../journal/state.ts';

export interface CatalogueDeps {
  readonly home: Home;
  readonly logger: Logger;
  openIndex(): Promise<SessionIndex>;
}

/**
 * States of so many journals that grow without us (another window, the background) are remembered.
 */
const maxFollowed = 8;
const statsAtOnce = 64;
/** In place of a size. */
const unreadable = -1;

interface Followed {
  readonly follower: JournalFollower<SessionEvent>;
  state: SessionState | undefined;
}

export class SessionCatalogue {
  readonly #deps: CatalogueDeps;
  readonly #followed = new Map<SessionId, Followed>();
  readonly #leftOut = new Set<SessionId>();
  #index: Promise<SessionIndex> | undefined;
  #opened: SessionIndex | undefined;
  /** Who asks while the journals are looked at shares the next look. */
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<SessionIndex> | undefined;

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
  }

  /** Newest first; sessions open here are shown as they are now. */
  async list(open: readonly Session[]): Promise<SessionSummary[]> {
    const index = await this.#refreshed();
    const live = new Map<string, Session>(open.map((session) => [session.id, session]));
    return index.sessions().map((row): SessionSummary => {
      const session = live.get(row.id);
      return session === undefined ? summaryOfRow(row) : summaryOf(session.state, session.ledger);
    });
  }

  /** By run id or handle (`machine:pid`, `machine:job`); of several with one handle, the newest. */
  async findRun(reference: string): Promise<RunPlace | undefined> {
    const found = (await this.#refreshed()).runOf(reference);
    if (found === undefined || !isRunId(found.id) || !isSessionId(found.sessionId))
      return undefined;
    return { runId: found.id, sessionId: found.sessionId };
  }

  /** Brings the index up to what the journals say. */
  async refresh(): Promise<void> {
    await this.#refreshed();
  }

  /**
   * As the index is now, without a look at the journals; nothing while it is not open. See
   * `SessionIndex.attemptsLike`.
   */
  attemptsLike(
    seeds: readonly string[],
    exceptSession: SessionId,
    limit: number,
  ): readonly FoundAttempt[] {
    return this.#opened?.attemptsLike(seeds, exceptSession, limit) ?? [];
  }

  /** An index that could not be opened has nothing to write out. */
  async close(): Promise<void> {
    await this.#reading;
    const index = await this.#index?.catch(() => undefined);
    this.#opened = undefined;
    await index?.close();
  }

  #refreshed(): Promise<SessionIndex> {
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      return this.#refresh();
    });
    this.#reading = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #refresh(): Promise<SessionIndex> {
    this.#index ??= this.#deps.openIndex();
    this.#index.catch(() => (this.#index = undefined));
    const index = await this.#index;
    this.#opened = index;
    const known = index.journalSizes();
    const sizes = await this.#journalSizes();
    for (const [id, size] of sizes) {
      if (size === known.get(id) || size === unreadable) continue;
      const session = await this.#read(id, size).catch((error: unknown) =>
        this.#leaveOut(id, error),
      );
      if (session !== undefined) index.put(session);
    }
    for (const id of known.keys()) if (isSessionId(id) && !sizes.has(id)) this.#forget(index, id);
    return index;
  }

  /**
   * One that the system does not let be read takes no other with it. Rethrows what is a fault of
   * ours.
   */
  #leaveOut(id: SessionId, error: unknown): undefined {
    if (codeOf(error) === undefined) throw error;
    this.#followed.delete(id);
    if (!this.#leftOut.has(id))
      this.#deps.logger.warn(
        `Session ${id} is left out: its journal cannot be read (${messageOf(error)}).`,
      );
    this.#leftOut.add(id);
  }

  #forget(index: SessionIndex, id: SessionId): void {
    this.#followed.delete(id);
    index.remove(id);
  }

  /** Of all journals that are there; `unreadable` where it cannot be told. */
  async #journalSizes(): Promise<Map<SessionId, number>> {
    const ids = await sessionIds(this.#deps.home);
    const sizes = new Map<SessionId, number>();
    for (let first = 0; first < ids.length; first += statsAtOnce)
      await Promise.all(
        ids.slice(first, first + statsAtOnce).map(async (id) => {
          const file = this.#deps.home.journalFile(id);
          const size = await sizeOf(file).catch(
            (error: unknown) => this.#leaveOut(id, error) ?? unreadable,
          );
          if (size !== undefined) sizes.set(id, size);
        }),
      );
    return sizes;
  }

  async #read(id: SessionId, size: number): Promise<IndexedSession | undefined> {
    const followed = this.#follow(id);
    for await (const { events, isFromStart, damage } of followed.follower.read()) {
      for (const text of damage) this.#deps.logger.warn(`Journal of ${id}: ${text}`);
      const before = isFromStart ? undefined : followed.state;
      const added = events as readonly JournalEvent[];
      followed.state = before === undefined ? foldSession(added) : added.reduce(applyEvent, before);
    }
    // What is half written at its end is looked at again only when there is more.
    const journalBytes = Math.max(size, followed.follower.offset);
    return followed.state && indexed(followed.state, journalBytes);
  }

  /** The one that was not asked for longest is forgotten. */
  #follow(id: SessionId): Followed {
    const followed = this.#followed.get(id) ?? {
      follower: new JournalFollower(this.#deps.home.journalFile(id)),
      state: undefined,
    };
    this.#followed.delete(id);
    this.#followed.set(id, followed);
    const [oldest] = this.#followed.keys();
    if (this.#followed.size > maxFollowed && oldest !== undefined) this.#followed.delete(oldest);
    return followed;
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function indexed(state: SessionState, journalBytes: number): IndexedSession {
  const { id, goal, startedMs, lastEventMs, phase, turns, usd, hasUnknownCost } = state;
  const ledger = ledgerOf(state, (run) => run.metrics);
  return {
    id,
    journalBytes,
    goal,
    startedMs,
    lastEventMs,
    phase,
    turns,
    usd,
    hasUnknownCost,
    endReason: state.end?.reason ?? null,
    best: bestText(ledger) ?? null,
    runs: [...state.runs.values()]
      .filter(({ notStarted }) => notStarted === undefined)
      .map(indexedRun),
    attempts: indexedAttempts(state, ledger),
  };
}

const indexedRun = ({ spec, process, verdict }: RunState): IndexedRun => ({
  id: spec.id,
  number: spec.number,
  handle: handleOf(spec, process) ?? null,
  isGoing: process !== undefined && verdict === undefined,
});

const summaryOfRow = (row: IndexedSessionRow): SessionSummary => ({
  id: row.id as SessionId,
  goal: row.goal,
  startedMs: row.startedMs,
  lastEventMs: row.lastEventMs,
  phase: row.phase as Phase,
  ...(row.endReason !== null && { endReason: row.endReason as EndReason }),
  runs: row.runCount,
  going: row.goingCount,
  turns: row.turns,
  usd: row.usd,
  hasUnknownCost: row.hasUnknownCost,
  ...(row.best !== null && { best: row.best }),
});

function summaryOf(state: SessionState, ledger: Ledger): SessionSummary {
  const best = bestText(ledger);
  const { id, goal, startedMs, lastEventMs, phase, turns, usd, hasUnknownCost } = state;
  return {
    id,
    goal,
    startedMs,
    lastEventMs,
    phase,
    turns,
    usd,
    hasUnknownCost,
    ...(state.end && { endReason: state.end.reason }),
    runs: ledger.rows.length,
    going: [...state.runs.values()].filter((run) => indexedRun(run).isGoing).length,
    ...(best !== undefined && { best }),
  };
}

/** `loss 0.83`: the champion's best value of the metric that decides. */
function bestText({ champion, decisive }: Ledger): string | undefined {
  if (champion === undefined || decisive === undefined) return undefined;
  const summary = summaryFor(champion.metrics, decisive.metric);
  return summary && `${summary.metric} ${formatValue(summary.best)}`;
}
