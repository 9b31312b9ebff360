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
  /** Limits that the user named. */
  readonly budget: Budget;
  /**
   * Limits of the settings, used for those that `budget` does not name. The tighter of these and
   * the project's limits counts.
   */
  readonly defaultBudget?: Budget;
  /**
   * Folder in which relative paths and commands start: the workspace folder, or the terminal's
   * folder. Absolute path.
   */
  readonly workFolder: string;
  /** Default: the configured provider and its default model. */
  readonly provider?: string;
  readonly model?: string;
  /** Default: `goal`. */
  readonly profile?: ProfileId;
  /** The parent session, open in this process, whose budget includes this session. */
  readonly parent?: SessionId;
}

/** Entry of the list of sessions, read from the index. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly goal: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  /** Phase in the journal. Whether a process works on the session: see `owner`. */
  readonly phase: Phase;
  /** Undefined until the session has ended. */
  readonly endReason?: EndReason;
  readonly runs: number;
  /** Runs that have started and not ended. */
  readonly going: number;
  readonly turns: number;
  readonly usd: number;
  /** True when a call had an unknown price: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /** Best value of the champion, such as `loss 0.83`; undefined without a champion. */
  readonly best?: string;
}

/**
 * A goal being worked on, owned by this process. Every change of `state` comes with a journal
 * event, which is on disk before listeners are called.
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
   * Sends a message of the user. It steers a working session, and wakes a sleeping or paused one.
   */
  say(text: string): Promise<void>;
  /**
   * Stops thinking and any running tool within a second. The session is then paused until the next
   * message; runs continue.
   */
  interrupt(): Promise<void>;
  /** Resumes a paused session without a message; does nothing in any other phase. */
  unpause(): Promise<void>;
  /**
   * Answers an open question of the session; a sleeping session wakes. Rejects with `UserFacing`
   * when the question is not open.
   */
  answer(questionId: string, answer: string): Promise<void>;
  /**
   * Imports earlier results (`results.tsv`) and resolves with their number. Rejects with
   * `UserFacing` when they are invalid.
   */
  importResults(text: string, source: string): Promise<number>;
  /**
   * Runs an experiment again and compares the results; resolves when that run has ended. Rejects
   * with `UserFacing` when the experiment cannot be reproduced.
   */
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /** Ends the session with reason `user`. Runs continue unless `killRuns`. */
  stop(options?: { readonly killRuns?: boolean }): Promise<void>;
  /** Takes effect with the next call. Keeps history and memory. */
  useModel(provider: string, model: string): Promise<void>;
  /** Takes effect with the next call. `undefined`: the effort of the settings. */
  useEffort(effort: Effort | undefined): Promise<void>;
  /**
   * Pins a sticky, which the model always sees. Resolves with its number, which is never reused.
   * Rejects with `UserFacing` beyond 20 stickies.
   */
  pin(text: string): Promise<number>;
  /** Removes a sticky. Resolves with false when the number does not exist. */
  unpin(number: number): Promise<boolean>;
  /** Resolves when the session has ended; never rejects. */
  readonly ended: Promise<EndReason>;
}

export interface ResumeOptions {
  /** New limits. */
  readonly budget?: Budget;
  /** The user wants the session in this window: another window hands it over. */
  readonly takesOver?: boolean;
}

export interface Sessions {
  start(request: GoalRequest): Promise<Session>;
  /**
   * Resumes an unfinished session where it stands; an ended one continues with the next message.
   * Takes the session back from the background process. Rejects with `UserFacing` when another
   * window or terminal owns it.
   */
  resume(id: SessionId, options?: ResumeOptions): Promise<Session>;
  /** Returns the sessions that are open in this process, oldest first. */
  open(): readonly Session[];
  /** Resolves with all sessions of the home, newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /**
   * Resolves with the unfinished sessions of this home that a reload resumes, newest first: those
   * without a live owner, and those that the background process owns.
   */
  interrupted(): Promise<readonly SessionId[]>;
  /** Reads events and ledger of any session without owning it. */
  read(id: SessionId): Promise<SessionReading>;
  /**
   * Searches the full text of the journals of all sessions. Rejects with the reason of the signal.
   */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
  /** Resolves with the process that works on a session; `undefined` when there is none. */
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /** Finds a run by run id, `machine:pid` or `machine:job`; of several, the newest. */
  findRun(reference: string): Promise<RunPlace | undefined>;
  /**
   * Yields all events of a session, then new ones as they are added, whichever process works on it,
   * until the signal aborts.
   */
  follow(id: SessionId, signal: AbortSignal): AsyncIterable<FollowedEvents>;
  /**
   * Returns a read-only view of a session that another process works on, or none: its events and
   * the output of its runs. The caller disposes of it.
   */
  observe(id: SessionId, options?: ObserveOptions): ObservedSession;
  /**
   * Follows the output of a run, read on its machine, whichever process follows it as well.
   * Resolves with its end, or with `undefined` when the signal aborts. Rejects with `UserFacing`
   * when there is no such run.
   */
  watchRun(place: RunPlace, sink: RunSink, signal: AbortSignal): Promise<RunEnd | undefined>;
  /**
   * Kills a run, whichever process follows it. The owner of its session records the end, or this
   * process when there is none.
   */
  killRun(place: RunPlace): Promise<KilledRun>;
  readonly onDidChange: Event<void>;
}

export interface KilledRun {
  readonly run: RunState;
  /** Undefined when the owner of the session records the end. */
  readonly liveness?: Liveness;
  /** Process ids that are still alive. */
  readonly left: readonly number[];
  /** The owner of the session, which records the end. */
  readonly owner?: SessionOwner;
  /** True when SIGKILL was necessary. */
  readonly isEscalated: boolean;
}

export interface RunPlace {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

/** Owner of a session's lease. `kind` is undefined for versions that did not record it. */
export type SessionOwner = Pick<LeaseOwner, 'pid' | 'host' | 'kind'>;

export interface SessionReading {
  readonly state: SessionState;
  readonly events: readonly JournalEvent[];
  readonly ledger: Ledger;
  /** Sentences on damage to the journal; empty when there is none. */
  readonly damage: readonly string[];
}
