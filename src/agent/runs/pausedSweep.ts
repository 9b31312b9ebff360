/** Decides whether to pause a sweep because its first points failed in the same way. */
import { oneLine } from '../../base/text.ts';
import { untrustedLine } from '../../base/untrusted.ts';
import { runName, verdictText } from '../../runs/run.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { progressOf } from './sweepProgress.ts';

/** Number of points that must fail in the same way before any other point has ended. */
const pointsNeeded = 3;
/** Milliseconds within which a point must have failed. */
const quickMs = 60_000;
const maxErrorChars = 300;
/**
 * Matches errors that need not occur at other points, because a point with other settings may need
 * less memory.
 */
const memoryError = /out of memory|outofmemory|memoryerror|bad_alloc|cannot allocate memory/i;

/**
 * Returns the reason to pause the sweep, and the notice for the model; `undefined` if there is no
 * reason, if no point waits, or if the sweep was paused before.
 */
export function pauseOf(
  state: SessionState,
  sweep: SweepState,
  events: readonly JournalEvent[],
): { readonly why: string; readonly text: string } | undefined {
  const { over, waiting } = progressOf(state, sweep);
  if (sweep.pause !== undefined || waiting.length === 0 || over.length < pointsNeeded)
    return undefined;
  const first = over.toSorted((a, b) => (a.endedMs ?? 0) - (b.endedMs ?? 0)).slice(0, pointsNeeded);
  const [run] = first;
  if (run === undefined || !first.every(failedAtOnce)) return undefined;
  const errors = first.map((each) => errorOf(each, events));
  const [error = ''] = errors;
  const isSame = errors.every((each) => withoutNumbers(each) === withoutNumbers(error));
  if (!isSame || memoryError.test(error)) return undefined;
  const { id } = sweep.plan;
  const why = `its first ${pointsNeeded} points failed within a minute with the same error`;
  const shown = untrustedLine(error, `output of ${runName(run.spec.number)}`, maxErrorChars);
  return {
    why,
    text: `Sweep ${id} is paused: ${why}; ${waiting.length} more wait. To ${pausedAdvice(id)}\n${shown}`,
  };
}

/** Returns what the model can do with a paused sweep. */
export const pausedAdvice = (id: string): string =>
  `go on as it is, call kill_task with run "${id}" and signal "CONT"; to give it up, with run "${id}" alone`;

const failedAtOnce = ({ verdict, process, endedMs = 0, metrics }: RunState): boolean =>
  (verdict?.kind === 'failed' || verdict?.kind === 'signalled') &&
  metrics.every(({ count }) => count === 0) &&
  process !== undefined &&
  endedMs - process.startedMs <= quickMs;

/** Returns the last line that the run printed; if it printed nothing, how it ended. */
function errorOf({ spec, verdict }: RunState, events: readonly JournalEvent[]): string {
  const end = events.findLast((event) => event.type === 'run.ended' && event.runId === spec.id);
  const tail = end?.type === 'run.ended' ? (end.outputTail ?? '') : '';
  const last = tail.trim().split('\n').at(-1) ?? '';
  return oneLine(last === '' && verdict ? verdictText(verdict) : last, maxErrorChars);
}

const withoutNumbers = (text: string): string => text.replace(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '0');
