/** Waits for runs by sleeping, and checks runs that do not end. */
import { searchNote, type DemoReply } from './notes.ts';
import { isInterrupted, succeeded } from './transcript.ts';
import { nameOf, type Trial } from './trials.ts';
import { sleepsSince, type View } from './view.ts';

/** Deadline of each sleep. */
const deadlineMinutes = 4;
/** Maximum number of sleeps for a run. Runs of the demo take seconds: a longer run is stuck. */
const maxSleepsPerRun = 3;

/**
 * Returns a reply that sleeps until the runs have ended. After too many sleeps, the reply kills the
 * runs instead.
 */
export function waitFor(running: readonly Trial[], view: View): DemoReply {
  const { transcript } = view;
  const names = running.map(nameOf).join(' and ');
  const sleeps = sleepsSince(view);
  const tasks = running.map(taskOf).filter((task) => task !== undefined);
  const last = transcript.calls.at(-1);
  // If a sleep was refused, the run may have ended without a message.
  if (last?.name === 'sleep' && !succeeded(last) && !isInterrupted(last) && tasks.length > 0)
    return {
      text: `I look at the output of ${names}.`,
      calls: tasks.map((task) => ({ name: 'task_output', input: task })),
    };
  if (sleeps >= maxSleepsPerRun && tasks.length > 0)
    return {
      text: `${names}: too slow for this task. Stopped.`,
      calls: tasks.map((task) => ({ name: 'kill_task', input: task })),
    };
  const conditions = tasks.map((task) => ({ type: 'process_exit', ...task }));
  return {
    text:
      sleeps === 0 ? '' : `${names} ${running.length === 1 ? 'is' : 'are'} still running; I wait.`,
    calls: [
      ...(sleeps === 0 ? [searchNote(view)] : []),
      {
        name: 'sleep',
        input: {
          reason: reasonOf(running),
          wake_conditions: conditions,
          logic: 'all',
          deadline_minutes: deadlineMinutes,
        },
      },
    ],
  };
}

/** Returns the reason in the words in which Helios says until when the session sleeps. */
function reasonOf(running: readonly Trial[]): string {
  const numbers = running.map((trial) => nameOf(trial).replace(/^run /, ''));
  return numbers.length === 1
    ? `until run ${numbers.join()} ends`
    : `until runs ${numbers.join(' and ')} end`;
}

function taskOf({ handle }: Trial): { machine_id: string; pid: number } | undefined {
  const [, machineId, pid] = /^(.+):(\d+)$/.exec(handle ?? '') ?? [];
  return machineId === undefined ? undefined : { machine_id: machineId, pid: Number(pid) };
}
