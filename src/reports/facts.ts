/**
 * What a report is made of: plain facts, read from a journal by whoever knows its events. Nothing
 * here was said by a model unless it says so.
 */
import type { RunId } from '../base/ids.ts';
import type { Ledger } from '../experiments/ledger.ts';
import type { GoalTarget } from '../experiments/target.ts';

export interface BriefFacts {
  readonly session: SessionFacts;
  readonly target?: GoalTarget;
  readonly ledger: Ledger;
  /** All that were planned, oldest first. */
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
  /** Such as `The goal is met.`; of a session that has not ended, what it does. */
  readonly outcome: string;
  /** Why it waits for the user, in its own words. */
  readonly stuck?: string;
  /** The model's words at the end. */
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
  /** - `bad`: it ended, and not well · `open`: it goes on, or waits */
  readonly outcome: 'ok' | 'bad' | 'open';
  readonly tookMs?: number;
  /** The last line of the output of a run that did not end well. */
  readonly lastLine?: string;
  readonly alarms: readonly {
    readonly detail: string;
    readonly action: 'warn' | 'kill' | 'ask';
    readonly atMs: number;
  }[];
  /** Where its output is, on its machine. */
  readonly outputPath?: string;
  /** In seconds of one GPU; absent where it was not watched. */
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
  /** What all calls to models came to, in words: plan and unknown prices are said. */
  readonly total: string;
  /** A line for each model, and one for the experiments. */
  readonly lines: readonly string[];
}

export interface QuestionFacts {
  readonly id: string;
  /** The model's words. */
  readonly text: string;
  readonly fallback: string;
  readonly deadlineMs: number;
  readonly answer?: { readonly text: string; readonly by: 'person' | 'default' };
}

/** Something that interrupted the work, or that a user should know of. */
export interface Happening {
  readonly atMs: number;
  readonly text: string;
}
