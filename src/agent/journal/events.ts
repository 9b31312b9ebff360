/**
 * Everything that a journal can say, on one page. Views, the terminal and tests read these; the
 * session's state is a fold over them. Events are only ever added to: a field that is here keeps
 * its meaning.
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

/**
 * Limits; an absent one does not limit. Tokens are those of input, cached or not, and of output
 * together.
 */
export interface Limits {
  readonly turns?: number;
  readonly usd?: number;
  readonly minutes?: number;
  readonly tokens?: number;
}

/**
 * Limits of one goal. Those of an experiment hold from the launch of one run to that of the next.
 */
export interface Budget extends Limits {
  readonly experiment?: Limits;
}

/** `day`: of all sessions of a home, from midnight to midnight of the clock of the computer. */
export type BudgetScope = 'goal' | 'day' | 'experiment';

export type EndReason =
  'goal' | 'answered' | 'blocked' | 'budget' | 'no_progress' | 'plateau' | 'user' | 'error';

/** What a session is for: it decides on prompt, tools, end, permissions and limits. */
export type ProfileId = 'goal' | 'question';

/** What a watchdog saw. */
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

/** Who a message for the model comes from. */
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
      /** Absent: a goal. */
      readonly profile?: ProfileId;
      /** The session that started this one, whose budget counts what it spends. */
      readonly parent?: SessionId;
    }
  /** This session started another one, which its budget counts from now on. */
  | { readonly type: 'child.started'; readonly sessionId: SessionId }
  /** Another process took the session up again: after a reload, a crash, or on request. */
  | { readonly type: 'session.resumed'; readonly by: string; readonly budget?: Budget }
  | { readonly type: 'session.model_changed'; readonly provider: string; readonly model: string }
  /** Absent: as the settings say. */
  | { readonly type: 'session.effort_changed'; readonly effort?: Effort }
  /** Interrupted: nothing happens until a message comes. */
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
      /** Of a reminder that experiments bring nothing more: each stage is told once. */
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
   * A call beside the conversation: a second opinion, a search by the provider. It costs, and
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
   * A share of a limit was passed; each is told once. `used` and `of` are in the unit of the limit.
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
      /** What the call needed beyond Helios's own data; absent where that was nothing. */
      readonly accesses?: readonly Access[];
    }
  | {
      readonly type: 'tool.started';
      readonly callId: string;
      readonly name: string;
      readonly effect: Effect;
      /**
       * Trait of the tool. Absent in journals of older versions: true where the effect is to write
       * or execute.
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
       * What the model is shown: bounded. `fullPath` names the file with the whole result when it
       * was longer.
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
       * In the folder `attachments` of the session, as `<hash>.<extension>`; written before the
       * event is.
       */
      readonly attachmentFiles?: readonly AttachmentFile[];
      readonly changedFiles?: readonly string[];
      readonly runId?: RunId;
      readonly fullPath?: string;
    }
  /** Written before anything starts: after a crash it tells that the run may exist. */
  | { readonly type: 'run.planned'; readonly spec: RunSpec; readonly callId: string }
  | { readonly type: 'run.started'; readonly runId: RunId; readonly process: RunProcess }
  | {
      readonly type: 'run.ended';
      readonly runId: RunId;
      readonly verdict: Verdict;
      readonly endedMs: number;
      readonly metrics: readonly MetricSummary[];
      /** The end of its output, cleaned and bounded; only of a run that did not end well. */
      readonly outputTail?: string;
    }
  | { readonly type: 'run.not_started'; readonly runId: RunId; readonly why: string }
  /**
   * Recorded before its action is taken: `kill` ends the run, `ask` puts a question to the user,
   * `warn` only wakes.
   */
  | {
      readonly type: 'run.alarmed';
      readonly runId: RunId;
      readonly kind: AlarmKind;
      /** Such as `loss became NaN at step 120`. */
      readonly detail: string;
      readonly action: 'warn' | 'kill' | 'ask';
    }
  /** Written before the first run of the experiment is planned. */
  | { readonly type: 'experiment.planned'; readonly plan: ExperimentPlan; readonly callId: string }
  /** The last one counts; those before it tell how the judgement changed. */
  | {
      readonly type: 'experiment.decided';
      readonly experimentId: string;
      readonly decision: Decision;
      readonly why: string;
      readonly by: 'agent' | 'engine' | 'person';
    }
  /**
   * Results of before that a user brought in: somebody's word, never ranked with what is measured
   * here.
   */
  | {
      readonly type: 'results.imported';
      readonly source: string;
      readonly results: readonly ImportedResult[];
    }
  /** It never holds the work up: without an answer, `fallback` counts from `deadlineMs` on. */
  | {
      readonly type: 'question.asked';
      /** `q1`; unique within its session. */
      readonly questionId: string;
      readonly text: string;
      /** Answers to choose from; empty: any text is one. */
      readonly options: readonly string[];
      readonly fallback: string;
      /** Milliseconds since the epoch. */
      readonly deadlineMs: number;
      /** Absent where the engine asks. */
      readonly callId?: string;
      /** The run that goes on while nobody says `kill`: a watchdog asks. */
      readonly runId?: RunId;
    }
  | {
      readonly type: 'question.answered';
      readonly questionId: string;
      readonly answer: string;
      readonly by: 'person' | 'default';
      /** Why the default was taken before its time, such as `run 3 is over: ok`. */
      readonly why?: string;
    }
  /**
   * The whole plan, before any point of it. Which points were launched is told by the plans of
   * their runs.
   */
  | { readonly type: 'sweep.started'; readonly plan: SweepPlan; readonly callId: string }
  /** It could not be started, and will not be. */
  | {
      readonly type: 'sweep.point_skipped';
      readonly sweepId: string;
      readonly index: number;
      readonly why: string;
    }
  /** No more points of it are launched; those that run may go on. */
  | {
      readonly type: 'sweep.ended';
      readonly sweepId: string;
      readonly why: SweepEndReason;
      /** What came of it, as the model is shown it: bounded. */
      readonly text: string;
    }
  /**
   * What runs find around them on a machine; runs that are planned later in that folder refer to
   * it.
   */
  | {
      readonly type: 'env.captured';
      readonly envId: string;
      readonly machineId: string;
      /** Absolute, on the machine. */
      readonly repo: string;
      readonly gist: string;
      /** In the folder `snapshots` of the session. */
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
   * Messages up to and including event `upTo` are replaced, for the model, by `briefing`. Nothing
   * is deleted.
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
 * An event as it stands in the journal. `v` is the version of the format, `at` milliseconds since
 * the epoch.
 */
export type Recorded<E> = E & { readonly v: 1; readonly id: string; readonly at: number };

export type JournalEvent = Recorded<SessionEvent>;

/** What is shown as it happens and not kept: the journal has the whole reply a moment later. */
export type StreamEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'thinking.delta'; readonly text: string }
  | { readonly type: 'text.discarded'; readonly why: string }
  /** Worth a line, whatever is being said. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'tool.progress'; readonly callId: string; readonly text: string };
