/**
 * Keeps the index of sessions up to date with their journals. Caches the states of the journals
 * that were read last, so that only their new lines are read. Other changed journals are read as a
 * whole.
 */
import { stat } from 'node:fs/promises';
import { codeOf, messageOf } from '../../base/errors.ts';
import { isRunId, isSessionId, type SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { resultValueText, type Ledger } from '../../experiments/ledger.ts';
import { handleOf } from '../../runs/run.ts';
import type { Home } from '../../storage/home.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import type {
  FoundAttempt,
  FoundExperiment,
  IndexedRun,
  IndexedSession,
  IndexedSessionRow,
  SessionIndex,
} from '../../storage/sessionIndex.ts';
import { indexedExperiments } from '../experiments/indexedExperiments.ts';
import { indexedAttempts } from '../experiments/earlierAttempts.ts';
import type { RunPlace, Session, SessionSummary } from '../contract/sessions.ts';
import type { EndReason, JournalEvent, SessionEvent } from '../journal/events.ts';
import { foldSession } from '../journal/fold.ts';
import { ledgerOf } from '../runs/sessionLedger.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import type { Phase, RunState, SessionState } from '../journal/state.ts';

export interface CatalogueDeps {
  readonly home: Home;
  readonly logger: Logger;
  openIndex(): Promise<SessionIndex>;
}

/**
 * Maximum number of cached states: enough for the journals that windows and the background process
 * usually write at the same time.
 */
const maxFollowed = 8;
const statsAtOnce = 64;
/** Used as the size of a journal that cannot be read. */
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
  /** The last refresh that was started or is waiting. Refreshes run one after the other. */
  #reading: Promise<unknown> = Promise.resolve();
  /**
   * The refresh that waits for the current refresh. All callers that arrive in the meantime share
   * it.
   */
  #next: Promise<SessionIndex> | undefined;

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with all sessions, newest first. For sessions that are open in this process, uses the
   * current state.
   */
  async list(open: readonly Session[]): Promise<SessionSummary[]> {
    const index = await this.#refreshed();
    const live = new Map<string, Session>(open.map((session) => [session.id, session]));
    return index.sessions().map((row): SessionSummary => {
      const session = live.get(row.id);
      return session === undefined ? summaryOfRow(row) : summaryOf(session.state, session.ledger);
    });
  }

  /**
   * Finds a run by run id or handle (`machine:pid`, `machine:job`). If several runs have the
   * handle, resolves with the newest.
   */
  async findRun(reference: string): Promise<RunPlace | undefined> {
    const found = (await this.#refreshed()).runOf(reference);
    if (found === undefined || !isRunId(found.id) || !isSessionId(found.sessionId))
      return undefined;
    return { runId: found.id, sessionId: found.sessionId };
  }

  /** Resolves with the experiments of other sessions: see `SessionIndex.experiments`. */
  async experiments(
    exceptSession: SessionId,
    folder: string | undefined,
  ): Promise<readonly FoundExperiment[]> {
    return (await this.#refreshed()).experiments(exceptSession, folder);
  }

  /** Updates the index from the journals. */
  async refresh(): Promise<void> {
    await this.#refreshed();
  }

  /**
   * Finds similar attempts in the index, without reading journals: see `SessionIndex.attemptsLike`.
   * Returns nothing until the index is open.
   */
  attemptsLike(
    seeds: readonly string[],
    exceptSession: SessionId,
    limit: number,
  ): readonly FoundAttempt[] {
    return this.#opened?.attemptsLike(seeds, exceptSession, limit) ?? [];
  }

  /** Writes the index to disk and closes it. Does nothing if the index could not be opened. */
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
    const indexedSizes = index.journalSizes();
    const sizes = await this.#journalSizes();
    for (const [id, size] of sizes) {
      if (size === indexedSizes.get(id) || size === unreadable) continue;
      const session = await this.#read(id, size).catch((error: unknown) =>
        this.#leaveOut(id, error),
      );
      if (session !== undefined) index.put(session);
    }
    for (const id of indexedSizes.keys())
      if (isSessionId(id) && !sizes.has(id)) this.#forget(index, id);
    return index;
  }

  /**
   * Skips a journal that cannot be read or understood, such as one of a newer version, so that other
   * journals can still be read.
   */
  #leaveOut(id: SessionId, error: unknown): undefined {
    this.#followed.delete(id);
    if (!this.#leftOut.has(id))
      this.#deps.logger.warn(
        `Session ${id} is not indexed: its journal cannot be read (${messageOf(error)}).`,
      );
    this.#leftOut.add(id);
  }

  #forget(index: SessionIndex, id: SessionId): void {
    this.#followed.delete(id);
    index.remove(id);
  }

  /**
   * Resolves with the sizes of all existing journals. A journal whose size cannot be read has the
   * size `unreadable`.
   */
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
      followed.state = foldSession(events as readonly JournalEvent[], before);
    }
    // Includes a half-written last line, so that the line is read again only after the journal has
    // grown.
    const journalBytes = Math.max(size, followed.follower.offset);
    return followed.state && indexed(followed.state, journalBytes);
  }

  /**
   * Returns the cached state of a journal, creating it if necessary. A new entry replaces the least
   * recently used one.
   */
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
    title: state.title ?? null,
    endReason: state.end?.reason ?? null,
    best: (ledger.best && resultValueText(ledger.best)) ?? null,
    runs: [...state.runs.values()]
      .filter(({ notStarted }) => notStarted === undefined)
      .map(indexedRun),
    attempts: indexedAttempts(state, ledger),
    folder: state.workFolder,
    experiments: indexedExperiments(state, ledger),
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
  ...(row.title !== null && { title: row.title }),
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
  const best = ledger.best && resultValueText(ledger.best);
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
    ...(state.title !== undefined && { title: state.title }),
    ...(state.end && { endReason: state.end.reason }),
    runs: ledger.rows.length,
    going: [...state.runs.values()].filter((run) => indexedRun(run).isGoing).length,
    ...(best !== undefined && { best }),
  };
}
