/**
 * All events of a journal. The state of a session is a fold over its events. Event types may gain
 * fields, but an existing field never changes its meaning.
 */
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Requirements } from '../../experiments/target/requirements.ts';
import type { Effort } from '../../models/effort.ts';
import type { AssistantBlock, ModelFailure, StopReason, Usage } from '../../models/model.ts';
import type { Cost } from '../../models/prices.ts';
import type { LeftOut } from '../../project/projects.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { SleepRequest } from '../../sleep/trigger.ts';
import type { AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { RefusedCall } from '../../permissions/access.ts';
import type { CallEvent } from './callEvents.ts';
import type { ExperimentEvent } from './experimentEvents.ts';
import type { MachineEvent } from './machineEvents.ts';
import type { FileEvent } from './fileEvents.ts';
import type { RunEvent } from './runEvents.ts';

/** Limits on work; an omitted limit means none. `tokens`: input (cached or not) plus output. */
export interface Limits {
  readonly turns?: number;
  readonly usd?: number;
  readonly minutes?: number;
  readonly tokens?: number;
}

/**
 * Limits of a goal. `experiment` limits the spending from the launch of one run to the launch of
 * the next.
 */
export interface Budget extends Limits {
  readonly experiment?: Limits;
}

/** Scope of a limit. `day`: all sessions of a home on one day in the computer's time zone. */
export type BudgetScope = 'goal' | 'day' | 'experiment';

/**
 * Reason for the end of a session.
 * - `goal`: the engine checked that the goal is met
 * - `best_found`: the agent ended an open goal, which has no number to reach
 * - `claimed`: the agent says that the goal is met, and there was nothing to check
 */
export type EndReason =
  | 'goal'
  | 'best_found'
  | 'claimed'
  | 'answered'
  | 'blocked'
  | 'budget'
  | 'no_progress'
  | 'plateau'
  | 'user'
  | 'error';

/** Kind of session. Determines its prompt, tools, way to end, permissions and limits. */
export type ProfileId = 'goal' | 'question';

/**
 * Values of a metric that support the outcome of a session. The engine read them from the output of
 * the run; they are never values that the model reported.
 */
export interface Evidence {
  readonly runId: RunId;
  readonly run: string;
  readonly metric: string;
  readonly last: number;
  readonly best: number;
  readonly lastStep: number;
  readonly count: number;
}

/** Evidence for the outcome of a session. */
export interface EndEvidence {
  readonly evidence: readonly Evidence[];
  /** Values that the engine compared with the target: `val_loss 0.018 < 0.02 (run 4)`. */
  readonly checked?: readonly string[];
  /** The summary with marks after numbers that no run measured; omitted if there are none. */
  readonly marked?: string;
}

/** Origin of a message for the model. */
export type MessageOrigin = 'goal' | 'person' | 'wake' | 'monitor' | 'reminder' | 'resume';

export type SessionEvent =
  | {
      readonly type: 'session.started';
      readonly sessionId: SessionId;
      readonly goal: string;
      readonly budget: Budget;
      readonly provider: string;
      readonly model: string;
      readonly workFolder: string;
      /** Version of Helios that started the session. */
      readonly helios: string;
      /** Names of the user's variables, such as API keys, that runs on this computer get. */
      readonly runVariables?: readonly string[];
      /** Program that confines commands and runs on this computer, if any. */
      readonly confined?: string;
      /** Requirements of the goal besides numbers; omitted if the goal has none. */
      readonly requirements?: Requirements;
      /** Default: `goal`. */
      readonly profile?: ProfileId;
      /** Session that started this one, and whose budget includes the cost of this one. */
      readonly parent?: SessionId;
      readonly leftOut?: LeftOut;
      readonly permissions?: PermissionsInForce;
    }
  /** This session started a child session, whose cost its budget includes from now on. */
  | { readonly type: 'child.started'; readonly sessionId: SessionId }
  /** A process resumed the session, after a reload or a crash, or on request. */
  | {
      readonly type: 'session.resumed';
      readonly by: string;
      /** Time at which the process that died was last seen. Omitted if it closed the session. */
      readonly lastSeenAt?: number;
      readonly budget?: Budget;
      readonly leftOut?: LeftOut;
      readonly permissions?: PermissionsInForce;
      /** Program that confines commands and runs on this computer, if any. */
      readonly confined?: string;
    }
  /** The permission mode was changed. The new mode applies from the next decision. */
  | { readonly type: 'session.permissions_changed'; readonly permissions: PermissionsInForce }
  | { readonly type: 'session.model_changed'; readonly provider: string; readonly model: string }
  /** The user changed the effort. `undefined` means the effort from the settings. */
  | { readonly type: 'session.effort_changed'; readonly effort?: Effort }
  /** The user named the session. An empty title removes the name: the goal names it again. */
  | { readonly type: 'session.renamed'; readonly title: string }
  /** The session was paused, by the user or by an error, until a message arrives. */
  | { readonly type: 'session.paused'; readonly by: 'user' | 'error'; readonly detail?: string }
  | ({
      readonly type: 'session.ended';
      readonly reason: EndReason;
      readonly summary: string;
    } & EndEvidence)
  | {
      readonly type: 'message.added';
      readonly origin: MessageOrigin;
      readonly text: string;
      readonly attachments?: readonly AttachmentFile[];
      /** Stage of the plateau that a reminder is about. Each stage of a plateau is reported once. */
      readonly plateauStage?: 1 | 2;
      /** True if the user resumed the session without words: the text is one of Helios. */
      readonly isUnsaid?: true;
      /** Runs whose end the text tells; their events tell it no more. */
      readonly ended?: readonly RunId[];
    }
  | {
      readonly type: 'model.requested';
      readonly turn: number;
      readonly provider: string;
      readonly model: string;
      /** Ids of calls whose attachments this request and all later ones leave out. */
      readonly leftOut?: readonly string[];
    }
  | {
      readonly type: 'model.replied';
      readonly turn: number;
      readonly provider: string;
      readonly model: string;
      readonly content: readonly AssistantBlock[];
      readonly stop: StopReason;
      readonly usage: Usage;
      readonly cost: Cost;
      readonly failure?: ModelFailure;
    }
  /** A paid call outside the conversation: a second opinion, a web search, or an account. */
  | {
      readonly type: 'model.consulted';
      readonly purpose: 'consult' | 'search' | 'account';
      readonly callId: string;
      readonly provider: string;
      readonly model: string;
      readonly usage: Usage;
      readonly cost: Cost;
    }
  /**
   * The use of a limit reached `percent` of the limit. Recorded once per limit and percentage; for
   * a limit of the day, once per day. `used` and `of` (the limit) have the same unit.
   */
  | {
      readonly type: 'budget.noticed';
      readonly scope: BudgetScope;
      readonly limit: keyof Limits;
      readonly percent: 50 | 80 | 100;
      readonly used: number;
      readonly of: number;
    }
  | CallEvent
  | FileEvent
  | RunEvent
  | ExperimentEvent
  | MachineEvent
  /**
   * A question to the user. The question does not block the work: `fallback` becomes the answer at
   * `deadlineMs`.
   */
  | {
      readonly type: 'question.asked';
      /** `q1`; unique within its session. */
      readonly questionId: string;
      readonly text: string;
      /** Answers to choose from. When empty, the user may answer with any text. */
      readonly options: readonly string[];
      readonly fallback: string;
      /** Deadline for an answer, in milliseconds since the epoch. */
      readonly deadlineMs: number;
      /** Tool call that asks the question. Omitted when the engine itself asks. */
      readonly callId?: string;
      /** Run that a watchdog asks about. It continues unless the answer is `kill`. */
      readonly runId?: RunId;
      /** Refused call that the question is about. If it is allowed, it passes the next time. */
      readonly refused?: RefusedCall;
    }
  | {
      readonly type: 'question.answered';
      readonly questionId: string;
      readonly answer: string;
      readonly by: 'person' | 'default';
      /** Why the default became the answer before the deadline, for example `run 3 is over: ok`. */
      readonly why?: string;
    }
  /**
   * The environment of runs in a folder of a machine was recorded. Runs planned later in the same
   * folder refer to this environment.
   */
  | {
      readonly type: 'env.captured';
      readonly envId: string;
      readonly machineId: string;
      /** Absolute path of the folder on the machine. */
      readonly repo: string;
      readonly gist: string;
      /** File in the session's folder `snapshots`. */
      readonly file: string;
      readonly callId: string;
    }
  | {
      readonly type: 'sleep.started';
      readonly sleepId: string;
      readonly request: SleepRequest;
      readonly callId: string;
    }
  | {
      readonly type: 'sleep.ended';
      readonly sleepId: string;
      readonly why: 'trigger' | 'deadline' | 'person' | 'run_ended' | 'alarm' | 'check_in';
      readonly detail: string;
    }
  | {
      readonly type: 'monitor.started';
      readonly goal: string;
      readonly intervalMs: number;
      readonly callId: string;
    }
  | { readonly type: 'monitor.stopped'; readonly why: string }
  /**
   * The conversation was shortened: for the model, `briefing` replaces all messages up to and
   * including the event `upTo`. The journal keeps all events.
   */
  | {
      readonly type: 'context.checkpointed';
      readonly upTo: string;
      readonly briefing: string;
      readonly tokensBefore: number;
    }
  | { readonly type: 'note.pinned'; readonly number: number; readonly text: string }
  | { readonly type: 'note.unpinned'; readonly number: number };

/**
 * An event as stored in the journal. `v` is the version of the format; `at` is the time in
 * milliseconds since the epoch.
 */
export type Recorded<E> = E & { readonly v: 1; readonly id: string; readonly at: number };

export type JournalEvent = Recorded<SessionEvent>;

/**
 * Output that is shown while the model or a tool produces it. It is not stored, because the journal
 * gets the complete reply or result shortly after.
 */
export type StreamEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'thinking.delta'; readonly text: string }
  /** The model is called again after `retryMs`; text streamed so far is no longer valid. */
  | { readonly type: 'text.discarded'; readonly why: string; readonly retryMs: number }
  /** A message that users see even while the model is writing. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly text: string };
