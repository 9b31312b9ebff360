/**
 * All events of a journal. Views, the terminal and tests read these; the session's state is a fold
 * over them. The types are append-only: an existing field keeps its meaning.
 */
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Decision, ExperimentPlan } from '../../experiments/experiment.ts';
import type { ImportedResult } from '../../experiments/ledger.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type {
  AssistantBlock,
  AttachmentBlock,
  Effort,
  ModelFailure,
  StopReason,
  Usage,
} from '../../models/model.ts';
import type { Cost } from '../../models/prices.ts';
import type { RunProcess, RunSpec, Verdict } from '../../runs/run.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';
import type { SleepRequest } from '../../sleep/trigger.ts';
import type { AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { Access } from '../../permissions/access.ts';
import type { Effect } from '../../tools/tool.ts';

/** An absent limit does not limit. `tokens` counts input, cached or not, and output together. */
export interface Limits {
  readonly turns?: number;
  readonly usd?: number;
  readonly minutes?: number;
  readonly tokens?: number;
}

/**
 * Limits of one goal. Those of an experiment apply from the launch of one run to the launch of the
 * next.
 */
export interface Budget extends Limits {
  readonly experiment?: Limits;
}

/** `day`: all sessions of a home, from midnight to midnight in the computer's time zone. */
export type BudgetScope = 'goal' | 'day' | 'experiment';

export type EndReason =
  'goal' | 'answered' | 'blocked' | 'budget' | 'no_progress' | 'plateau' | 'user' | 'error';

/** Purpose of a session. Decides on prompt, tools, end, permissions and limits. */
export type ProfileId = 'goal' | 'question';

/** The kind of problem that a watchdog detected. */
export type AlarmKind =
  'non_finite' | 'divergence' | 'throughput' | 'silence' | 'disk' | 'gpu_idle';

export interface Evidence {
  readonly runId: RunId;
  readonly run: string;
  readonly metric: string;
  /** Read by the engine from the run, never taken from the model. */
  readonly last: number;
  readonly best: number;
  readonly lastStep: number;
  readonly count: number;
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
      readonly helios: string;
      /** Default: `goal`. */
      readonly profile?: ProfileId;
      /** The session that started this one, whose budget counts what it spends. */
      readonly parent?: SessionId;
    }
  /** This session started another one, which counts against its budget from now on. */
  | { readonly type: 'child.started'; readonly sessionId: SessionId }
  /** Another process resumed the session: after a reload, a crash, or on request. */
  | { readonly type: 'session.resumed'; readonly by: string; readonly budget?: Budget }
  | { readonly type: 'session.model_changed'; readonly provider: string; readonly model: string }
  /** `undefined`: the effort of the settings applies. */
  | { readonly type: 'session.effort_changed'; readonly effort?: Effort }
  /** Interrupted: nothing happens until a message arrives. */
  | { readonly type: 'session.paused'; readonly by: 'user' | 'error'; readonly detail?: string }
  | {
      readonly type: 'session.ended';
      readonly reason: EndReason;
      readonly summary: string;
      readonly evidence: readonly Evidence[];
    }
  | {
      readonly type: 'message.added';
      readonly origin: MessageOrigin;
      readonly text: string;
      /**
       * For a reminder that experiments no longer improve the result: each stage is reported once.
       */
      readonly plateauStage?: 1 | 2;
    }
  | {
      readonly type: 'model.requested';
      readonly turn: number;
      readonly provider: string;
      readonly model: string;
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
  /**
   * A call outside the conversation: a second opinion, or a search by the provider. Costs money and
   * changes nothing else.
   */
  | {
      readonly type: 'model.consulted';
      readonly purpose: 'consult' | 'search';
      readonly callId: string;
      readonly provider: string;
      readonly model: string;
      readonly usage: Usage;
      readonly cost: Cost;
    }
  /**
   * A share of a limit was passed. Each share is reported once. `used` and `of` are in the unit of
   * the limit.
   */
  | {
      readonly type: 'budget.noticed';
      readonly scope: BudgetScope;
      readonly limit: keyof Limits;
      readonly percent: 50 | 80 | 100;
      readonly used: number;
      readonly of: number;
    }
  | {
      readonly type: 'permission.decided';
      readonly callId: string;
      readonly isAllowed: boolean;
      readonly by: 'mode' | 'person' | 'rule';
      readonly why: string;
      /** The tool that the user allowed for the rest of the session with this answer. */
      readonly allowedTool?: string;
      /** Accesses that the call needed beyond Helios's own data. Not set when there were none. */
      readonly accesses?: readonly Access[];
    }
  | {
      readonly type: 'tool.started';
      readonly callId: string;
      readonly name: string;
      readonly effect: Effect;
      /**
       * Trait of the tool. Not set in journals of older versions: true there if the effect is to
       * write or execute.
       */
      readonly changesCode?: boolean;
      /** Verb and object, as `Tool.describe` gives it. */
      readonly title: string;
    }
  | {
      readonly type: 'tool.finished';
      readonly callId: string;
      readonly name: string;
      /**
       * The text that the model is shown, bounded. `fullPath` is the file with the whole result if
       * that is longer.
       */
      readonly text: string;
      readonly isError: boolean;
      /** Trait of the tool. */
      readonly isQuiet?: true;
      readonly durationMs: number;
      readonly summary?: string;
      /** Only in journals of older versions, which held the bytes themselves. */
      readonly attachments?: readonly AttachmentBlock[];
      /**
       * Files in the folder `attachments` of the session, as `<hash>.<extension>`. Written before
       * the event is.
       */
      readonly attachmentFiles?: readonly AttachmentFile[];
      readonly changedFiles?: readonly string[];
      readonly runId?: RunId;
      readonly fullPath?: string;
    }
  /** Written before anything starts: after a crash, the plan shows that the run may exist. */
  | { readonly type: 'run.planned'; readonly spec: RunSpec; readonly callId: string }
  | { readonly type: 'run.started'; readonly runId: RunId; readonly process: RunProcess }
  | {
      readonly type: 'run.ended';
      readonly runId: RunId;
      readonly verdict: Verdict;
      readonly endedMs: number;
      readonly metrics: readonly MetricSummary[];
      /** The end of the output, cleaned and bounded. Not set for a run that succeeded. */
      readonly outputTail?: string;
    }
  | { readonly type: 'run.not_started'; readonly runId: RunId; readonly why: string }
  /**
   * Recorded before its action is taken: `kill` ends the run, `ask` asks the user a question,
   * `warn` only wakes a sleeping session.
   */
  | {
      readonly type: 'run.alarmed';
      readonly runId: RunId;
      readonly kind: AlarmKind;
      /** For example `loss became NaN at step 120`. */
      readonly detail: string;
      readonly action: 'warn' | 'kill' | 'ask';
    }
  /** Written before the first run of the experiment is planned. */
  | { readonly type: 'experiment.planned'; readonly plan: ExperimentPlan; readonly callId: string }
  /** The last decision counts; earlier ones show how the judgement changed. */
  | {
      readonly type: 'experiment.decided';
      readonly experimentId: string;
      readonly decision: Decision;
      readonly why: string;
      readonly by: 'agent' | 'engine' | 'person';
    }
  /**
   * Earlier results that the user imported. They are unverified, and never ranked with results
   * measured here.
   */
  | {
      readonly type: 'results.imported';
      readonly source: string;
      readonly results: readonly ImportedResult[];
    }
  /**
   * A question never blocks the work: without an answer, `fallback` applies from `deadlineMs` on.
   */
  | {
      readonly type: 'question.asked';
      /** `q1`; unique within its session. */
      readonly questionId: string;
      readonly text: string;
      /** Answers to choose from. Empty: any text is an answer. */
      readonly options: readonly string[];
      readonly fallback: string;
      /** Milliseconds since the epoch. */
      readonly deadlineMs: number;
      /** Not set when the engine asks. */
      readonly callId?: string;
      /** Set when a watchdog asks: the run that continues unless the answer is `kill`. */
      readonly runId?: RunId;
    }
  | {
      readonly type: 'question.answered';
      readonly questionId: string;
      readonly answer: string;
      readonly by: 'person' | 'default';
      /** Why the default was taken before the deadline, for example `run 3 is over: ok`. */
      readonly why?: string;
    }
  /**
   * The whole plan, written before any point starts. The plans of the runs show which points were
   * launched.
   */
  | { readonly type: 'sweep.started'; readonly plan: SweepPlan; readonly callId: string }
  /** The point could not be started, and will not be tried again. */
  | {
      readonly type: 'sweep.point_skipped';
      readonly sweepId: string;
      readonly index: number;
      readonly why: string;
    }
  /** No more points are launched; active runs may continue. */
  | {
      readonly type: 'sweep.ended';
      readonly sweepId: string;
      readonly why: SweepEndReason;
      /** The result as the model is shown it, bounded. */
      readonly text: string;
    }
  /**
   * The environment of runs in a folder of a machine. Runs that are planned there later refer to
   * it.
   */
  | {
      readonly type: 'env.captured';
      readonly envId: string;
      readonly machineId: string;
      /** Absolute path on the machine. */
      readonly repo: string;
      readonly gist: string;
      /** File in the folder `snapshots` of the session. */
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
      readonly why: 'trigger' | 'deadline' | 'person' | 'run_ended' | 'alarm';
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
   * For the model, `briefing` replaces the messages up to and including event `upTo`. Nothing is
   * deleted.
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
 * An event as it is stored in the journal. `v` is the version of the format, `at` is in
 * milliseconds since the epoch.
 */
export type Recorded<E> = E & { readonly v: 1; readonly id: string; readonly at: number };

export type JournalEvent = Recorded<SessionEvent>;

/**
 * Output that is shown while it arrives and is not stored: the journal has the whole reply shortly
 * after.
 */
export type StreamEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'thinking.delta'; readonly text: string }
  | { readonly type: 'text.discarded'; readonly why: string }
  /** Worth a line, even while the model is writing. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly text: string };
