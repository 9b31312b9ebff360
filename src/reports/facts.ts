/**
 * Facts that a report states, read from the journal. The comment of a field says if its text was
 * written by a model.
 */
import type { RunId } from '../base/ids.ts';
import type { Ledger } from '../experiments/ledger.ts';
import type { JudgedLimit } from '../experiments/target/launchLimits.ts';
import type { Target } from '../experiments/target/target.ts';

export interface BriefFacts {
  readonly session: SessionFacts;
  readonly target?: Target;
  /** The targets before, oldest first. Default: none. */
  readonly earlierTargets?: readonly Target[];
  /** Demands of the goal that nothing checks, in its words. Default: none. */
  readonly unchecked?: readonly string[];
  readonly demands?: DemandFacts;
  /** Worktrees with changes that no commit and no experiment contains. Default: none. */
  readonly openWork?: readonly OpenWorkFacts[];
  readonly ledger: Ledger;
  /** Difference of the champion's code from the checked-out commit: files and lines. */
  readonly championChange?: string;
  /** All planned runs, including those that did not start. Oldest first. */
  readonly runs: readonly RunFacts[];
  /** Measured values that the engine accepted as the reason to end the session. */
  readonly evidence: readonly EvidenceFacts[];
  readonly cost: CostFacts;
  /** Oldest first. */
  readonly questions: readonly QuestionFacts[];
  /** Files with edits that were not undone. Paths are relative to the working folder. */
  readonly edits: readonly { readonly path: string; readonly by: 'tool' | 'command' }[];
  /** Oldest first. */
  readonly happenings: readonly Happening[];
  readonly sleeps: { readonly count: number; readonly totalMs: number; readonly longestMs: number };
}

/** Changes in a worktree of the session. */
export interface OpenWorkFacts {
  readonly machineId: string;
  /** Absolute path of the worktree on the machine. */
  readonly path: string;
  readonly branch: string;
  /** Ids of the experiments that ran in the worktree. */
  readonly experiments: readonly string[];
  /** Number of changed files. */
  readonly files: number;
}

/** Demands of the goal besides numbers, and what the engine checked when the session ended. */
export interface DemandFacts {
  /** Files that the goal leaves alone. */
  readonly unchanged: readonly string[];
  /** Checks that have to pass, as the goal names them: `check.py`, `tests`. */
  readonly checks: readonly string[];
  /** Results of the engine's checks at the end: `bench.py unchanged`, `pytest passed on the code of e4`. */
  readonly checked: readonly string[];
  /** Checks that were run, or could not be started; oldest first. Default: none. */
  readonly tries?: readonly CheckFacts[];
  /** Limits on the number of runs and on their machines, compared. Default: none. */
  readonly launches?: readonly JudgedLimit[];
}

export interface CheckFacts {
  readonly command: string;
  readonly machineId: string;
  /** Experiment on whose code the check ran. */
  readonly experimentId?: string;
  readonly outcome: 'passed' | 'failed' | 'not_started';
  /** `exit code 1`; why the check was not started. */
  readonly text: string;
}

export interface SessionFacts {
  readonly id: string;
  readonly goal: string;
  readonly model: string;
  readonly workFolder: string;
  readonly startedMs: number;
  /** Time for which the session worked or slept, in milliseconds: not the time after an end. */
  readonly workedMs: number;
  readonly lastEventMs: number;
  readonly turns: number;
  /**
   * Outcome of the session, such as `Goal met: val_loss 0.018 < 0.02`. `Paused` or `Not ended` if it
   * has not ended.
   */
  readonly outcome: string;
  /** Reason why the session waits for the user, in the model's words. */
  readonly stuck?: string;
  /** Final summary of the session, in the model's words. */
  readonly summary?: string;
  /** Reason why Helios ended the session, in its own words. */
  readonly cause?: string;
}

export interface RunFacts {
  readonly id: RunId;
  readonly number: number;
  readonly machineId: string;
  readonly label: string;
  readonly command: string;
  /** `running`, `ok`, `failed (exit code 1)` … */
  readonly status: string;
  /**
   * - `ok`: the run ended successfully
   * - `bad`: the run ended without success
   * - `stopped`: the agent or the user ended the run
   * - `open`: the run has not started or not ended
   */
  readonly outcome: 'ok' | 'bad' | 'stopped' | 'open';
  readonly tookMs?: number;
  /** Last line of the output, for a run that did not end successfully. */
  readonly lastLine?: string;
  readonly alarms: readonly {
    readonly detail: string;
    readonly action: 'warn' | 'kill' | 'ask';
    readonly atMs: number;
  }[];
  /** Path of the output file on the machine. */
  readonly outputPath?: string;
  /**
   * Idle time and total watched time of the run's GPUs, summed over the GPUs; undefined if no GPU
   * was watched.
   */
  readonly gpu?: { readonly idleSeconds: number; readonly watchedSeconds: number };
}

export interface EvidenceFacts {
  readonly run: number;
  readonly metric: string;
  readonly last: number;
  readonly best: number;
  readonly count: number;
}

export interface CostFacts {
  /**
   * Total cost of all model calls, as text. Also mentions subscription usage and unknown prices.
   */
  readonly total: string;
  /** The cost of each model, one line per model, and a line with the average cost per launch. */
  readonly lines: readonly string[];
}

export interface QuestionFacts {
  readonly id: string;
  /** The question, in the model's words. */
  readonly text: string;
  /** Default answer, which applies at `deadlineMs` if the user has not answered. */
  readonly fallback: string;
  readonly deadlineMs: number;
  /** True for the question in the inbox whether a refused call should be allowed. */
  readonly isRefusedCall?: true;
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

/** An interruption, or another event that the user should know about. */
export interface Happening {
  readonly atMs: number;
  readonly text: string;
}
