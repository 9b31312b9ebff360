/** The state of a session: a pure fold over its journal. */
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
  /** Metrics recorded when the run ended. The run itself has the live values. */
  readonly metrics: readonly MetricSummary[];
  /** Set when the run was never started. */
  readonly notStarted?: string;
  /** The last environment recorded before the run was planned, for its machine and folder. */
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

/** An experiment of the ledger. Its runs are those of the session whose spec has its id. */
export interface ExperimentRecord {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** Oldest first. The last decision counts. */
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
  /** Set when a watchdog asks: the run that continues unless the answer is `kill`. */
  readonly runId?: RunId;
  /** Not set while the question is open. */
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

export interface EnvState {
  readonly id: string;
  readonly machineId: string;
  readonly repo: string;
  readonly gist: string;
  readonly file: string;
}

/** A sweep. Its runs are those of the session whose spec has its id. */
export interface SweepState {
  readonly plan: SweepPlan;
  /** Id of the tool call that started the sweep. */
  readonly callId: string;
  /** Index of a point that will not run → why. */
  readonly skipped: ReadonlyMap<number, string>;
  /** Set when no more points are launched. */
  readonly end?: SweepEndReason;
}

/**
 * - `thinking`: a model call is in progress
 * - `acting`: tool calls are in progress
 * - `ready`: between the two
 */
export type Phase = 'ready' | 'thinking' | 'acting' | 'sleeping' | 'paused' | 'ended';

/** Sum of the calls to one model. */
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
 * Spending from the launch of one experiment to the launch of the next. Here an experiment is a
 * sweep, or the runs launched by the calls of one turn. The first allowance of a session covers the
 * time before any launch.
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
  /** True when the price of a call is unknown: `usd` is a lower bound then. */
  readonly hasUnknownCost: boolean;
  /** Value of `turns` when the model was told that the allowance is used up. */
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
  /** `undefined`: the effort of the settings applies. */
  readonly effort?: Effort;
  readonly usd: number;
  /** The part of `usd` that a plan covers and that is not billed. */
  readonly planUsd: number;
  readonly hasUnknownCost: boolean;
  /** `provider/model` → sum of its calls, in the order of first use. */
  readonly spending: ReadonlyMap<string, Spending>;
  /** Oldest first, never empty. The last one is being spent. */
  readonly allowances: readonly Allowance[];
  /**
   * Notices about the present limits: `scope limit percent`. For the experiment, those of the last
   * one.
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
  /** Experiment id → experiment of the ledger, oldest first. */
  readonly experiments: ReadonlyMap<string, ExperimentRecord>;
  /** Earlier results that the user imported. */
  readonly imported: readonly ImportedResult[];
  /** Question id → question, oldest first. */
  readonly questions: ReadonlyMap<string, Question>;
}
