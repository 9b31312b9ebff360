/** Sessions of a home, as front ends see them. */
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { MemoryStore } from '../../memory/memoryStore.ts';
import type { Effort } from '../../models/effort.ts';
import type { RunSink } from '../../runs/foreignRun.ts';
import type { Liveness, RunEnd } from '../../runs/run.ts';
import type { LeaseOwner } from '../../storage/leaseOwner.ts';
import type { Reproduction, ReproduceRequest } from './reproduction.ts';
import type { SessionActions } from '../journal/actions.ts';
import type { Attachment } from './attachment.ts';
import type { Budget, EndReason, JournalEvent, ProfileId, StreamEvent } from '../journal/events.ts';
import type { FollowedEvents } from '../journal/followJournal.ts';
import type { Phase, RunState, SessionState } from '../journal/state.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { UserLabel } from './requests.ts';
import type { FileEdit, UndoneEdits } from './edits.ts';
import type { SearchHit, SearchOptions } from './search.ts';
import type { ObservedSession, ObserveOptions } from './observedSession.ts';

export interface GoalRequest {
  readonly goal: string;
  /** The target in the user's words. Default: the target that is read from the goal. */
  readonly target?: string;
  /** Limits that the user set in the request. */
  readonly budget: Budget;
  /**
   * Limits from the settings. They apply where `budget` sets no limit. If the project sets the same
   * limit, the lower value applies.
   */
  readonly defaultBudget?: Budget;
  /**
   * Base folder for relative paths and commands: the workspace folder, or the folder in which the
   * `helios` command was called. Absolute path.
   */
  readonly workFolder: string;
  readonly attachments?: readonly Attachment[];
  /** Default: the configured provider and its default model. */
  readonly provider?: string;
  readonly model?: string;
  /** Default: `goal`. */
  readonly profile?: ProfileId;
  /**
   * Parent session, which is open in this process. The parent's budget includes the cost of this
   * session.
   */
  readonly parent?: SessionId;
}

/** Entry of the list of sessions, read from the index. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly goal: string;
  /** Title that the user gave the session. */
  readonly title?: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  /**
   * Phase according to the journal. A session at work may have no live process: see
   * `Sessions.owner`.
   */
  readonly phase: Phase;
  /** `undefined` while the session has not ended. */
  readonly endReason?: EndReason;
  readonly runs: number;
  /** Runs that have started and not ended. */
  readonly going: number;
  readonly turns: number;
  readonly usd: number;
  /** True when the price of a call is unknown: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /**
   * Best value of the champion (the best experiment), such as `loss 0.83`; `undefined` when there
   * is no champion.
   */
  readonly best?: string;
}

/**
 * A session that this process owns. Every change of `state` comes from a journal event. The event
 * is on disk before listeners are called.
 */
export interface Session {
  readonly id: SessionId;
  readonly folder: string;
  readonly state: SessionState;
  readonly memory: MemoryStore;
  readonly ledger: Ledger;
  readonly onDidRecord: Event<JournalEvent>;
  readonly onDidStream: Event<StreamEvent>;
  /** Returns the permissions for the next call; `undefined` if the profile decides them. */
  permissions(): PermissionsInForce | undefined;
  /** All events so far, oldest first. */
  events(): readonly JournalEvent[];
  /**
   * Sends a message of the user. A working session reads the message with its next model call; a
   * sleeping or paused session wakes.
   */
  say(text: string, attachments?: readonly Attachment[]): Promise<void>;
  /**
   * Aborts the model call and any active tool within a second, then pauses the session until the
   * next message. Runs continue.
   */
  interrupt(): Promise<void>;
  /** Resumes a paused session without a message. Does nothing in any other phase. */
  unpause(): Promise<void>;
  /**
   * Answers an open question of the session, and wakes the session if it sleeps. Rejects with
   * `UserFacing` when the question is not open.
   */
  answer(questionId: string, answer: string): Promise<void>;
  /**
   * Imports earlier results from the text of a `results.tsv` file. Resolves with the number of
   * results. Rejects with `UserFacing` when the text is invalid.
   */
  importResults(text: string, source: string): Promise<number>;
  /**
   * Imports results from files on a machine, which are only read. `path` is absolute. Resolves with a
   * sentence that says what was imported. Rejects with `UserFacing` if there is nothing to import,
   * and with `MachineFailure`.
   */
  importFiles(machineId: string, path: string): Promise<string>;
  /**
   * Runs an experiment again and compares the results. Resolves when the new run has ended. Rejects
   * with `UserFacing` when the experiment cannot be reproduced.
   */
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /**
   * Asks the session's model once for its account of the work, within the limits of the session;
   * `Reports.writeup` then contains it. Rejects with `UserFacing` when the limits do not cover the
   * call or the model cannot be asked.
   */
  writeAccount(signal?: AbortSignal): Promise<void>;
  /** Ends the session with reason `user`. Runs continue unless `killRuns` is true. */
  stop(options?: { readonly killRuns?: boolean }): Promise<void>;
  /**
   * Changes the model, starting with the next model call. The session keeps its history and memory.
   */
  useModel(provider: string, model: string): Promise<void>;
  /**
   * Changes the effort, starting with the next model call. `undefined` means the effort from the
   * settings.
   */
  useEffort(effort: Effort | undefined): Promise<void>;
  /**
   * Changes the target (`val_loss < 0.3, mean over seeds 0-2`) or its baseline (`baseline run 5`),
   * reads metrics that were never read from the output of the runs, and tells the agent. Resolves
   * with the target in words; `baseline` alone changes nothing. Rejects with `UserFacing` for a text
   * that is not understood.
   */
  setTarget(text: string): Promise<string>;
  /**
   * Names the session, or annotates its runs. Resolves with a sentence that says what was done.
   * Rejects with `UserFacing` for an unknown run and for too many tags.
   */
  label(label: UserLabel): Promise<string>;
  /**
   * Adds a sticky note, which the model always sees. Resolves with the note's number, which is
   * never reused. Rejects with `UserFacing` when there are already 20 sticky notes.
   */
  pin(text: string): Promise<number>;
  /** Removes a sticky note. Resolves with false when no sticky note has this number. */
  unpin(number: number): Promise<boolean>;
  /** Resolves when the session has ended; never rejects. */
  readonly ended: Promise<EndReason>;
}

export interface ResumeOptions {
  /** New limits for the session. */
  readonly budget?: Budget;
  /**
   * True when the user wants to continue the session in this window. Another window that owns the
   * session then hands it over.
   */
  readonly takesOver?: boolean;
}

export interface Sessions {
  start(request: GoalRequest): Promise<Session>;
  /**
   * Resumes a session. An unfinished session continues immediately, an ended session continues
   * with the next message. A session that the background process owns is moved to this process.
   * Rejects with `UserFacing` when another window or another `helios` command owns the session.
   */
  resume(id: SessionId, options?: ResumeOptions): Promise<Session>;
  /** Returns the sessions that are open in this process, oldest first. */
  open(): readonly Session[];
  /** Resolves with all sessions of the home, newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /**
   * Resolves with the unfinished sessions of this home that are resumed after a window reload,
   * newest first: sessions without a live owner, and sessions that the background process owns.
   */
  interrupted(): Promise<readonly SessionId[]>;
  /** Closes a session that is open in this process, so that another can take it. Runs continue. */
  release(id: SessionId): Promise<void>;
  /** Reads the events and the ledger of any session; does not need its lease. */
  read(id: SessionId): Promise<SessionReading>;
  /** Reads what a session did: commands, files, hosts, and decisions on calls. */
  actions(id: SessionId): Promise<SessionActions>;
  /**
   * Searches the full text of the journals of all sessions. When the signal aborts, rejects with
   * the signal's reason.
   */
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>;
  /** Resolves with the process that works on a session; `undefined` when there is none. */
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  /**
   * Finds a run by run id, `machine:pid` or `machine:job`. If several runs match, resolves with the
   * newest.
   */
  findRun(reference: string): Promise<RunPlace | undefined>;
  /**
   * Yields all events of a session, then each new event until the signal aborts. Also works for a
   * session of another process.
   */
  follow(id: SessionId, signal: AbortSignal): AsyncIterable<FollowedEvents>;
  /**
   * Returns a read-only view of a session that is not open in this process: its events and the
   * output of its runs. The caller disposes of the view.
   */
  observe(id: SessionId, options?: ObserveOptions): ObservedSession;
  /**
   * Follows the output of a run, reading it on the run's machine. Other processes may follow the
   * same run. Resolves with the end of the run, or with `undefined` when the signal aborts. Rejects
   * with `UserFacing` when the run does not exist.
   */
  watchRun(place: RunPlace, sink: RunSink, signal: AbortSignal): Promise<RunEnd | undefined>;
  /**
   * Kills a run, even if another process owns its session. The process that owns the run's session
   * records the end of the run; if no process owns the session, this process records it.
   */
  killRun(place: RunPlace): Promise<KilledRun>;
  /**
   * Labels a session that no other process works on; see `Session.label`. For other sessions, use
   * `SessionRequests`.
   */
  label(id: SessionId, label: UserLabel): Promise<string>;
  /** Resolves with the edits of a session that are still in the files. */
  edits(id: SessionId): Promise<readonly FileEdit[]>;
  /**
   * Undoes edits of a session: each file gets the content that it had before. A file that was
   * changed after the edits stays unchanged. `paths` are absolute; default: all files that tools
   * edited, without files that changed while a command ran. Rejects with `UserFacing` for a file
   * without edits, or when another process works on the session.
   */
  undoEdits(id: SessionId, paths?: readonly string[]): Promise<UndoneEdits>;
  readonly onDidChange: Event<void>;
}

export interface KilledRun {
  readonly run: RunState;
  /**
   * State of the run after the kill; `undefined` when another process records the end of the run.
   */
  readonly liveness?: Liveness;
  /** Ids of the run's processes that are still alive. */
  readonly left: readonly number[];
  /** Process that owns the session and records the end of the run. */
  readonly owner?: SessionOwner;
  /** True when the run had to be killed with SIGKILL. */
  readonly isEscalated: boolean;
}

export interface RunPlace {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

/**
 * Process that holds the session's lease. `kind` is `undefined` when an older version of Helios
 * wrote the lease.
 */
export type SessionOwner = Pick<LeaseOwner, 'pid' | 'host' | 'kind'>;

export interface SessionReading {
  readonly state: SessionState;
  readonly events: readonly JournalEvent[];
  readonly ledger: Ledger;
  /** Sentences that describe damage to the journal; empty for an undamaged journal. */
  readonly damage: readonly string[];
}
