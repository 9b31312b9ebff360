/** Everything that the demo model decides from, and what it can tell of the conversation. */
import { saidByUser, type DemoGoal } from './goal.ts';
import type { Space } from './space.ts';
import { callsOf, isInterrupted, succeeded, type PastCall, type Transcript } from './transcript.ts';
import type { Trial } from './trials.ts';

export interface View {
  readonly transcript: Transcript;
  readonly goal: DemoGoal;
  /** Where the runs go. */
  readonly machine: string;
  readonly space: Space;
  readonly trials: readonly Trial[];
  readonly best: (Trial & { value: number }) | undefined;
}

/** What the user said since the last reply. */
export const newlySaid = (transcript: Transcript): string[] =>
  saidByUser(transcript)
    .filter(({ turn }) => turn === transcript.turn)
    .map(({ text }) => text);

/** Those whose metrics were looked at in the reply before this one. */
export function justReviewed({ transcript, trials }: View): Trial[] {
  const probed = transcript.calls.filter(
    ({ name, turn }) => name === 'show_metrics' && turn === transcript.turn - 1,
  );
  const tasks = new Set(probed.map(({ input }) => input['task_id']));
  return trials.filter(({ handle, runId }) => tasks.has(handle) || tasks.has(runId));
}

/** How often the newest runs were slept for since they were launched or the user spoke. */
export function sleepsSince({ transcript }: View): number {
  const { calls } = transcript;
  const launched = calls.findLastIndex(({ name }) => name === 'remote_exec_background');
  const spoken = saidByUser(transcript).at(-1)?.turn ?? 0;
  return calls
    .slice(launched + 1)
    .filter((call) => call.name === 'sleep' && succeeded(call) && call.turn >= spoken).length;
}

/** Launches refused or failed since one succeeded or the user spoke. */
export function failedLaunches(transcript: Transcript): PastCall[] {
  const spoken = saidByUser(transcript).at(-1)?.turn ?? 0;
  const launches = callsOf(transcript, 'remote_exec_background').filter(
    ({ turn }) => turn >= spoken,
  );
  return launches
    .slice(launches.findLastIndex(succeeded) + 1)
    .filter((call) => call.result?.isError === true && !isInterrupted(call));
}
