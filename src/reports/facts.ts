/** Facts of a report, read from a journal. Text of a model is marked as such. */
import type { RunId } from '../base/ids.ts';
import type { Ledger } from '../experiments/ledger.ts';
import type { GoalTarget } from '../experiments/target.ts';

export interface BriefFacts {
  readonly session: SessionFacts;
  readonly target?: GoalTarget;
  readonly ledger: Ledger;
  /** All planned runs, oldest first. */
  readonly runs: readonly RunFacts[];
  /** Values that the engine read from runs and accepted as the reason to end. */
  readonly evidence: readonly EvidenceFacts[];
  readonly cost: CostFacts;
  /** Oldest first. */
  readonly questions: readonly QuestionFacts[];
  /** Oldest first. */
  readonly happenings: readonly Happening[];
  readonly sleeps: { readonly count: number; readonly totalMs: number; readonly longestMs: number };
}

export interface SessionFacts {
  readonly id: string;
  readonly goal: string;
  readonly model: string;
  readonly workFolder: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  readonly turns: number;
  /** For example `The goal is met.`; for a session that has not ended, its current activity. */
  readonly outcome: string;
  /** Why the session waits for the user, in the model's words. */
  readonly stuck?: string;
  /** The model's final summary. */
  readonly summary?: string;
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
   * - `bad`: the run has ended, without success
   * - `open`: the run has not ended or not started
   */
  readonly outcome: 'ok' | 'bad' | 'open';
  readonly tookMs?: number;
  /** Last line of the output of a run that did not end well. */
  readonly lastLine?: string;
  readonly alarms: readonly {
    readonly detail: string;
    readonly action: 'warn' | 'kill' | 'ask';
    readonly atMs: number;
  }[];
  /** Path of the output on the machine. */
  readonly outputPath?: string;
  /** Seconds of one GPU; undefined where no GPU was watched. */
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
  /** Total cost of all model calls, as text. Mentions subscription usage and unknown prices. */
  readonly total: string;
  /** A line for each model, and one for the experiments. */
  readonly lines: readonly string[];
}

export interface QuestionFacts {
  readonly id: string;
  /** Text of the model. */
  readonly text: string;
  readonly fallback: string;
  readonly deadlineMs: number;
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

/** An interruption, or another event that the user should know of. */
export interface Happening {
  readonly atMs: number;
  readonly text: string;
}
