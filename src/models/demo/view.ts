/** The facts on which the demo model bases its decisions, and queries on the conversation. */
import { saidByUser, type DemoGoal } from './goal.ts';
import type { Space } from './space.ts';
import { callsOf, isInterrupted, succeeded, type PastCall, type Transcript } from './transcript.ts';
import type { Trial } from './trials.ts';

export interface View {
  readonly transcript: Transcript;
  readonly goal: DemoGoal;
  /** Machine that executes the runs. */
  readonly machine: string;
  readonly space: Space;
  readonly trials: readonly Trial[];
  readonly best: (Trial & { value: number }) | undefined;
}

/** Returns the user's messages since the last reply. */
export const newlySaid = (transcript: Transcript): string[] =>
  saidByUser(transcript)
    .filter(({ turn }) => turn === transcript.turn)
    .map(({ text }) => text);

/** Returns the trials whose metrics were read in the previous reply. */
export function justReviewed({ transcript, trials }: View): Trial[] {
  const reads = transcript.calls.filter(
    ({ name, turn }) => name === 'show_metrics' && turn === transcript.turn - 1,
  );
  const tasks = new Set(reads.map(({ input }) => input['task_id']));
  return trials.filter(({ handle, runId }) => tasks.has(handle) || tasks.has(runId));
}

/** Counts the sleeps since the newest runs were launched or the user last wrote. */
export function sleepsSince({ transcript }: View): number {
  const { calls } = transcript;
  const launched = calls.findLastIndex(({ name }) => name === 'remote_exec_background');
  const spoken = saidByUser(transcript).at(-1)?.turn ?? 0;
  return calls
    .slice(launched + 1)
    .filter((call) => call.name === 'sleep' && succeeded(call) && call.turn >= spoken).length;
}

/**
 * Returns the launches that were refused or failed since the last successful launch or the user's
 * last message.
 */
export function failedLaunches(transcript: Transcript): PastCall[] {
  const spoken = saidByUser(transcript).at(-1)?.turn ?? 0;
  const launches = callsOf(transcript, 'remote_exec_background').filter(
    ({ turn }) => turn >= spoken,
  );
  return launches
    .slice(launches.findLastIndex(succeeded) + 1)
    .filter((call) => call.result?.isError === true && !isInterrupted(call));
}
