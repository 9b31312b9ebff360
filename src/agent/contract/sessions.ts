/** Sessions of a home, as front ends see them. */
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Effort } from '../../models/model.ts';
import type { RunSink } from '../../runs/foreignRun.ts';
import type { Liveness, RunEnd } from '../../runs/run.ts';
import type { LeaseOwner } from '../../storage/leaseOwner.ts';
import type { Reproduction, ReproduceRequest } from './reproduction.ts';
import type { Budget, EndReason, JournalEvent, ProfileId, StreamEvent } from '../journal/events.ts';
import type { FollowedEvents } from '../journal/followJournal.ts';
import type { Phase, RunState, SessionState } from '../journal/state.ts';
import type { SearchHit, SearchOptions } from './search.ts';
import type { ObservedSession, ObserveOptions } from './observedSession.ts';

export interface GoalRequest {
  readonly goal: string;
  /** What the user named. */
  readonly budget: Budget;
  /**
   * Of the settings: counts where `budget` says nothing. Of it and of the project's limits the
   * tighter counts.
   */
  readonly defaultBudget?: Budget;
  /**
   * Where relative paths and commands start: the workspace folder, or the terminal's folder.
   * Absolute.
   */
  readonly workFolder: string;
  /** Absent: the configured provider and its default model. */
  readonly provider?: string;
  readonly model?: string;
  /** Default: a goal. */
  readonly profile?: ProfileId;
  /** The session of this process that starts this one, and whose budget counts it. */
  readonly parent?: SessionId;
}

/** One line of the list of sessions, read from the index. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly goal: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  /** As its journal says; whether somebody works on it is told by `owner`. */
  readonly phase: Phase;
  /** Absent while the session is not ended. */
  readonly endReason?: EndReason;
  readonly runs: number;
  /** Runs that have started and not ended. */
  readonly going: number;
  readonly turns: number;
  readonly usd: number;
  /** True when a call was made whose price is not known: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /** `loss 0.83` of the champion, where there is one. */
  readonly best?: string;
}

/**
 * A goal being worked on, owned by this process. Every change of `state` comes with a journal
 * event, which was on disk before it is heard here.
 */
export interface Session {
  readonly id: SessionId;
  readonly folder: string;
  readonly state: SessionState;
  readonly memory: MemoryStore;
  readonly ledger: Ledger;
  readonly onDidRecord: Event<JournalEvent>;
  readonly onDidStream: Event<StreamEvent>;
  /** All events so far, oldest first. */
  events(): readonly JournalEvent[];
  /**
   * A message of the user's: steering while the session works, a wake while it sleeps or is paused.
   */
  say(text: string): Promise<void>;
  /**
   * Stops thinking and any tool at work within a second. The session is then paused until something
   * is said; runs go on.
   */
  interrupt(): Promise<void>;
  /** Goes on after a pause, with nothing new said; does nothing in any other phase. */
  unpause(): Promise<void>;
  /**
   * Answers an open question of the session's; a sleeping session wakes. Throws `UserFacing` where
   * it is not open.
   */
  answer(questionId: string, answer: string): Promise<void>;
  /**
   * Makes results of before known (`results.tsv`), and resolves with their number. Throws
   * `UserFacing` where they do not fit.
   */
  importResults(text: string, source: string): Promise<number>;
  /**
   * Runs an experiment again and compares; resolves when that run is over. Throws `UserFacing`
   * where it cannot be made.
   */
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /** Ends the session with reason `user`. Runs go on unless `killRuns`. */
  stop(options?: { readonly killRuns?: boolean }): Promise<void>;
  /** Takes effect with the next call; history and memory stay. */
  useModel(provider: string, model: string): Promise<void>;
  /** Takes effect with the next call; `undefined`: as the settings say. */
  useEffort(effort: Effort | undefined): Promise<void>;
  /**
   * Pins a note that the model always sees; resolves with its number, which is never given again.
   * Throws `UserFacing` beyond 20.
   */
  pin(text: string): Promise<number>;
  /** Resolves with false when there is no note of that number. */
  unpin(number: number): Promise<boolean>;
  /** Resolves when the session is ended; never rejects. */
  readonly ended: Promise<EndReason>;
}

export interface ResumeOptions {
  /** What it may spend from now on. */
  readonly budget?: Budget;
  /** A user wants it in this window: another window hands it over. */
  readonly takesOver?: boolean;
}

export interface Sessions {
  start(request: GoalRequest): Promise<Session>;
  /**
   * Takes an unfinished session up where it stands; an ended one goes on when something is said.
   * One that goes on in the background is taken back from there. Throws `UserFacing` when another
   * window or terminal owns it.
   */
  resume(id: SessionId, options?: ResumeOptions): Promise<Session>;
  /** Sessions that are open in this process, oldest first. */
  open(): readonly Session[];
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /**
   * Unfinished sessions of this home whose owner is dead, or in the background, newest first: what
   * a reload goes on with.
   */
  interrupted(): Promise<readonly SessionId[]>;
  /** Events and ledger of any session, read-only, without owning it. */
  read(id: SessionId): Promise<SessionReading>;
  /** Full-text search over the journals of all sessions. Rejects with the reason of the signal. */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
  /** The process that works on a session now; `undefined` where none does. */
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /** The session of a run, by run id, `machine:pid` or `machine:job`; of several, the newest. */
  findRun(reference: string): Promise<RunPlace | undefined>;
  /**
   * All events of a session and then those that are added, whoever works on it, until the signal is
   * aborted.
   */
  follow(id: SessionId, signal: AbortSignal): AsyncIterable<FollowedEvents>;
  /**
   * A session that grows elsewhere, or was left: its events, and what its runs print. To be
   * disposed of.
   */
  observe(id: SessionId, options?: ObserveOptions): ObservedSession;
  /**
   * The output of a run as it grows, read on its machine, whoever follows it. Resolves with its
   * end, or with `undefined` when the signal is aborted. Rejects with `UserFacing` where there is
   * no such run.
   */
  watchRun(place: RunPlace, sink: RunSink, signal: AbortSignal): Promise<RunEnd | undefined>;
  /**
   * Ends a run, whoever follows it. Its end is recorded by the owner of its session, or here where
   * there is none.
   */
  killRun(place: RunPlace): Promise<KilledRun>;
  readonly onDidChange: Event<void>;
}

export interface KilledRun {
  readonly run: RunState;
  /** Absent where its owner records it. */
  readonly liveness?: Liveness;
  /** Processes that are still there. */
  readonly left: readonly number[];
  /** Who works on its session, and records the end. */
  readonly owner?: SessionOwner;
  /** KILL was needed. */
  readonly isEscalated: boolean;
}

export interface RunPlace {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

/** Absent `kind`: of a version that did not tell. */
export type SessionOwner = Pick<LeaseOwner, 'pid' | 'host' | 'kind'>;

export interface SessionReading {
  readonly state: SessionState;
  readonly events: readonly JournalEvent[];
  readonly ledger: Ledger;
  /** What was wrong with the journal, in words; empty when nothing was. */
  readonly damage: readonly string[];
}
