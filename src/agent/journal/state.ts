/** The state of a session: a pure fold over its journal. */
import type { RunId, SessionId } from '../../base/ids.ts';
import type { RunProcess, RunSpec, Verdict } from '../../runs/run.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { ExperimentDecision, NamedResult } from '../../experiments/ledger.ts';
import type { Requirements } from '../../experiments/target/requirements.ts';
import type { Target } from '../../experiments/target/target.ts';
import type { SleepRequest } from '../../sleep/trigger.ts';
import type { Effort } from '../../models/effort.ts';
import type { ModelFailure } from '../../models/model.ts';
import type { Approval } from '../../permissions/grants/grant.ts';
import type { RunAnnotation } from '../../experiments/runAnnotation.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { RefusedCall } from '../../permissions/access.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { Budget, EndReason, EndEvidence, JournalEvent, ProfileId } from './events.ts';
import type { AlarmKind } from './runEvents.ts';

export interface RunState {
  readonly spec: RunSpec;
  readonly process?: RunProcess;
  readonly verdict?: Verdict;
  readonly endedMs?: number;
  /** Metrics recorded at the end of the run. For an active run, see the metrics of `Run`. */
  readonly metrics: readonly MetricSummary[];
  /** Why the run was never started; omitted for a run that started or may still start. */
  readonly notStarted?: string;
  /**
   * Number of sweeps that had started before the run was put into the waiting line. Set only for
   * such a run.
   */
  readonly sweepsAhead?: number;
  /** Variables that were withheld from the run and that its output names, and withheld hosts. */
  readonly withheld?: string;
  /** Environment recorded last for the run's machine and folder before the run was planned. */
  readonly envId?: string;
  /** Tags and note of the user; omitted if there were never any. */
  readonly annotation?: RunAnnotation;
  /** Oldest first. */
  readonly alarms: readonly Alarm[];
}

export interface Alarm {
  readonly kind: AlarmKind;
  readonly detail: string;
  readonly action: 'warn' | 'kill' | 'ask';
  readonly atMs: number;
}

/**
 * An experiment of the ledger. Its runs are the session's runs whose spec has the experiment's id.
 */
export interface ExperimentRecord {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** Decisions on the experiment, oldest first. The last one applies. */
  readonly decisions: readonly ExperimentDecision[];
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly fallback: string;
  readonly askedMs: number;
  readonly deadlineMs: number;
  /**
   * Run that the question of a watchdog is about. The run continues unless the answer is `kill`.
   */
  readonly runId?: RunId;
  /** Refused call that the question is about. */
  readonly refused?: RefusedCall;
  /** Omitted while the question is open. */
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

export interface EnvState {
  readonly id: string;
  readonly machineId: string;
  readonly repo: string;
  readonly gist: string;
  readonly file: string;
}

/** A sweep. Its runs are the session's runs whose spec has the sweep's id. */
export interface SweepState {
  readonly plan: SweepPlan;
  /** Id of the tool call that started the sweep. */
  readonly callId: string;
  /** Index of a point that could not be started → the reason. */
  readonly skipped: ReadonlyMap<number, string>;
  /** Why the sweep is paused or, with `isOver`, was paused. A sweep is paused at most once. */
  readonly pause?: { readonly why: string; readonly isOver?: true };
  /** Why the sweep ended; omitted while the sweep still launches points. */
  readonly end?: SweepEndReason;
}

/**
 * - `thinking`: a model call is in progress
 * - `acting`: tool calls are in progress
 * - `ready`: neither is in progress, and the next step can begin
 */
export type Phase = 'ready' | 'thinking' | 'acting' | 'sleeping' | 'paused' | 'ended';

/** Sum of the calls to one model. */
export interface Spending {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly usd: number;
  /** The part of `usd` that the user's plan covers. */
  readonly planUsd: number;
  readonly hasUnknownCost: boolean;
  /** Input tokens (cached or not) plus output tokens. */
  readonly tokens: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
}

/**
 * Spending on one experiment, from its launch to the launch of the next. Here, an experiment is a
 * sweep, or all runs launched in one turn. A session's first allowance covers the time before any
 * launch.
 */
export interface Allowance {
  /**
   * `start` (before any launch), the id of the sweep, or the turn of the launch, such as `turn 7`.
   */
  readonly key: string;
  readonly runIds: readonly RunId[];
  readonly startedMs: number;
  readonly turns: number;
  readonly usd: number;
  /** Input tokens (cached or not) plus output tokens. */
  readonly tokens: number;
  /** True when the price of a call is unknown: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
  /**
   * Value of `turns` when the model was notified that the allowance is used up; grace turns are
   * counted from this value.
   */
  readonly overAtTurns?: number;
}

export interface SessionState {
  readonly id: SessionId;
  readonly goal: string;
  /** Title that the user gave the session. */
  readonly title?: string;
  /** Target that was read from the goal, or that the agent or the user stated later. */
  readonly target?: Target;
  /** The targets before, oldest first; omitted if the target was never changed. */
  readonly earlierTargets?: readonly Target[];
  /** Requirements of the goal besides numbers. */
  readonly requirements?: Requirements;
  /** Author of the last stated target; omitted if the target was read from the goal. */
  readonly targetBy?: 'agent' | 'person';
  readonly budget: Budget;
  readonly provider: string;
  readonly model: string;
  readonly workFolder: string;
  readonly profile: ProfileId;
  /**
   * Permissions as last recorded: at the start, at a resumption, or before the first decision on a
   * call in another mode. Omitted in journals of older versions, and for a profile with fixed
   * permissions (`question`).
   */
  readonly permissions?: PermissionsInForce;
  /** Approvals of the user for the rest of the session. */
  readonly approvals: readonly Approval[];
  /** Id of the session that started this session. */
  readonly parent?: SessionId;
  /** Ids of the sessions that this session started, oldest first. */
  readonly children: readonly SessionId[];
  readonly startedMs: number;
  readonly lastEventMs: number;
  /**
   * Milliseconds for which the session was ended before the user continued it, for which no process
   * worked on it after a crash, or for which its process stood still. Default: 0.
   */
  readonly restMs?: number;
  readonly phase: Phase;
  readonly turns: number;
  /** Effort that the user chose. `undefined` means the effort from the settings. */
  readonly effort?: Effort;
  readonly usd: number;
  /** The part of `usd` that the user's plan covers, and that is not billed. */
  readonly planUsd: number;
  readonly hasUnknownCost: boolean;
  /** `provider/model` → sum of the calls to that model, in the order of first use. */
  readonly spending: ReadonlyMap<string, Spending>;
  /** Oldest first; never empty. Current spending is added to the last allowance. */
  readonly allowances: readonly Allowance[];
  /**
   * Recorded notices about the current limits, as `scope limit percent`. Notices with scope
   * `experiment` are about the last allowance.
   */
  readonly notices: ReadonlySet<string>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runs: ReadonlyMap<RunId, RunState>;
  readonly sweeps: ReadonlyMap<string, SweepState>;
  /** Recorded environments, oldest first. */
  readonly envs: readonly EnvState[];
  readonly sleep?: {
    readonly sleepId: string;
    readonly request: SleepRequest;
    readonly sinceMs: number;
    /** True for a sleep until the monitor's next check-in. */
    readonly isCheckIn: boolean;
  };
  readonly monitor?: {
    readonly goal: string;
    readonly intervalMs: number;
    readonly sinceMs: number;
  };
  /** Why the session is paused: the text of the error, `user`, or `error` for an unknown error. */
  readonly pausedBy?: string;
  readonly end?: EndEvidence & {
    readonly atMs?: number;
    readonly reason: EndReason;
    readonly summary: string;
    /** The failed model call that ended the session. */
    readonly failure?: ModelFailure;
  };
  /** Failure of the last model call. */
  readonly failure?: ModelFailure;
  readonly stickies: ReadonlyMap<number, string>;
  /** Experiment id → experiment of the ledger, oldest first. */
  readonly experiments: ReadonlyMap<string, ExperimentRecord>;
  /** Number of imports so far. */
  readonly imports: number;
  /**
   * Imported results, without those that a later import of the same source replaced. Oldest import
   * first.
   */
  readonly imported: readonly NamedResult[];
  /** Question id → question, oldest first. */
  readonly questions: ReadonlyMap<string, Question>;
}

/** A pure function for each of these types of events: the state before it → the state after it. */
export type ChangesOf<Types extends JournalEvent['type']> = {
  readonly [Type in Types]: (
    state: SessionState,
    event: Extract<JournalEvent, { type: Type }>,
  ) => SessionState;
};
