/** The state of a session: a fold over its journal, nothing else. */
import type { RunId, SessionId } from '../../base/ids.ts';
import type { RunProcess, RunSpec, Verdict } from '../../runs/run.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { ImportedResult } from '../../experiments/ledger.ts';
import type { GoalTarget } from '../../experiments/target.ts';
import type { SleepRequest } from '../../sleep/trigger.ts';
import type { Effort } from '../../models/model.ts';
import type { Decision, ExperimentPlan } from '../../experiments/experiment.ts';
import type { AlarmKind, Budget, EndReason, Evidence, ProfileId } from './events.ts';

export interface RunState {
  readonly spec: RunSpec;
  readonly process?: RunProcess;
  readonly verdict?: Verdict;
  readonly endedMs?: number;
  /** As recorded when the run ended; live values come from the run itself. */
  readonly metrics: readonly MetricSummary[];
  /** Set when it never came to life. */
  readonly notStarted?: string;
  /** The environment that was recorded last, before it was planned, for its machine and folder. */
  readonly envId?: string;
  /** Oldest first. */
  readonly alarms: readonly Alarm[];
}

export interface Alarm {
  readonly kind: AlarmKind;
  readonly detail: string;
  readonly action: 'warn' | 'kill' | 'ask';
  readonly atMs: number;
}

/** An experiment as the ledger has it. Its runs are those of the session whose spec names it. */
export interface ExperimentRecord {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** The last one counts. Oldest first. */
  readonly decisions: readonly {
    readonly decision: Decision;
    readonly why: string;
    readonly by: 'agent' | 'engine' | 'person';
    readonly atMs: number;
  }[];
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly fallback: string;
  readonly askedMs: number;
  readonly deadlineMs: number;
  /** The run that goes on while nobody says `kill`: a watchdog asks. */
  readonly runId?: RunId;
  /** Absent while it is open. */
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

export interface EnvState {
  readonly id: string;
  readonly machineId: string;
  readonly repo: string;
  readonly gist: string;
  readonly file: string;
}

/** Its runs are those of the session whose spec names it. */
export interface SweepState {
  readonly plan: SweepPlan;
  /** Of the call that asked for it. */
  readonly callId: string;
  /** Index of a point that will not be run → why. */
  readonly skipped: ReadonlyMap<number, string>;
  /** Set when no more points are launched. */
  readonly end?: SweepEndReason;
}

/** - `thinking`: a model call is under way · `acting`: tools are · `ready`: between the two. */
export type Phase = 'ready' | 'thinking' | 'acting' | 'sleeping' | 'paused' | 'ended';

/** What calls to one model came to. */
export interface Spending {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly usd: number;
  /** The part of `usd` that a plan covers. */
  readonly planUsd: number;
  readonly hasUnknownCost: boolean;
  /** Input, cached or not, and output. */
  readonly tokens: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
}

/**
 * What was spent from the launch of an experiment to that of the next. An experiment is a sweep, or
 * the runs that the calls of one turn launched; the first of a session is the time before any
 * launch.
 */
export interface Allowance {
  /** `start`, the id of its sweep, or `turn 7`. */
  readonly key: string;
  readonly runIds: readonly RunId[];
  readonly startedMs: number;
  readonly turns: number;
  readonly usd: number;
  /** Input, cached or not, and output. */
  readonly tokens: number;
  /** True when a call was made whose price is not known: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /** Its turns when it was told that its allowance is over. */
  readonly overAtTurns?: number;
}

export interface SessionState {
  readonly id: SessionId;
  readonly goal: string;
  readonly target?: GoalTarget;
  readonly budget: Budget;
  readonly provider: string;
  readonly model: string;
  readonly workFolder: string;
  readonly profile: ProfileId;
  /** The session that started this one. */
  readonly parent?: SessionId;
  /** Sessions that this one started, oldest first. */
  readonly children: readonly SessionId[];
  readonly startedMs: number;
  readonly lastEventMs: number;
  readonly phase: Phase;
  readonly turns: number;
  /** Absent: as the settings say. */
  readonly effort?: Effort;
  readonly usd: number;
  /** The part of `usd` that a plan covers: nobody is billed for it. */
  readonly planUsd: number;
  readonly hasUnknownCost: boolean;
  /** `provider/model` → what its calls came to, in the order of their first use. */
  readonly spending: ReadonlyMap<string, Spending>;
  /** Oldest first, never empty: what is spent now is spent on the last. */
  readonly allowances: readonly Allowance[];
  /**
   * What was told of the limits as they are now: `scope limit percent`; of the experiment, of the
   * last one.
   */
  readonly notices: ReadonlySet<string>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runs: ReadonlyMap<RunId, RunState>;
  readonly sweeps: ReadonlyMap<string, SweepState>;
  /** Oldest first. */
  readonly envs: readonly EnvState[];
  readonly sleep?: {
    readonly sleepId: string;
    readonly request: SleepRequest;
    readonly sinceMs: number;
    readonly isCheckIn: boolean;
  };
  readonly monitor?: {
    readonly goal: string;
    readonly intervalMs: number;
    readonly sinceMs: number;
  };
  readonly pausedBy?: string;
  readonly end?: {
    readonly reason: EndReason;
    readonly summary: string;
    readonly evidence: readonly Evidence[];
  };
  readonly stickies: ReadonlyMap<number, string>;
  /** Experiment id → what the ledger has of it, oldest first. */
  readonly experiments: ReadonlyMap<string, ExperimentRecord>;
  /** Results of before that a user brought in. */
  readonly imported: readonly ImportedResult[];
  /** Question id → question, oldest first. */
  readonly questions: ReadonlyMap<string, Question>;
}
