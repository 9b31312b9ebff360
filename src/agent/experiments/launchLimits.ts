/** Compares launches with the limits of the goal: the number of runs, and their machines. */
import { ToolFailure } from '../../base/errors.ts';
import { patternText } from '../../base/patternText.ts';
import { counted } from '../../base/text.ts';
import type { LaunchedRuns } from '../../experiments/target/launchLimits.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';
import { isPaused, progressOf } from '../runs/sweepProgress.ts';

/** Returns the runs that count for the goal: all that were started, except reproductions. */
export function launchedRuns({ runs }: Pick<SessionState, 'runs'>): LaunchedRuns {
  const specs = [...runs.values()].flatMap(({ spec, notStarted }) =>
    notStarted === undefined && spec.isReproduction !== true ? [spec] : [],
  );
  return { count: specs.length, machines: [...new Set(specs.map(({ machineId }) => machineId))] };
}

/** Returns how many points of sweeps are yet to be launched. */
const waitingPoints = (state: SessionState): number =>
  [...state.sweeps.values()]
    .filter((sweep) => sweep.end === undefined && !isPaused(sweep))
    .reduce((sum, sweep) => sum + progressOf(state, sweep).waiting.length, 0);

/** Number and machines of the runs that a call would launch. */
export interface PlannedLaunch {
  readonly count: number;
  readonly machineIds: readonly string[];
}

/**
 * Throws `ToolFailure` if a launch exceeds a limit of the goal. A limit does not apply once a message
 * of the user names runs or the machine: it may have changed the limit.
 */
export function refuseBeyondLimits(
  state: SessionState,
  events: readonly JournalEvent[],
  { count, machineIds }: PlannedLaunch,
): void {
  const { maxRuns, machines } = state.requirements ?? {};
  const other = machineIds.find((id) => machines?.includes(id) === false);
  if (machines !== undefined && other !== undefined && !isNamed(events, patternText(other)))
    throw new ToolFailure(
      `Nothing was started: the goal says to run on ${machines.join(' and ')} only. Launch there, or ask the user with ask_user on which machine to run.`,
    );
  if (maxRuns === undefined || isNamed(events, numberOfRuns)) return;
  const waiting = waitingPoints(state);
  const used = launchedRuns(state).count;
  const left = Math.max(0, maxRuns - used - waiting);
  if (count <= left) return;
  const points = waiting === 0 ? '' : ` and ${counted(waiting, 'point')} waiting`;
  const way = left === 0 ? 'Finish with what was measured' : `Launch at most ${left}`;
  throw new ToolFailure(
    `Nothing was started: the goal allows at most ${counted(maxRuns, 'run')}; ${used} are used${points}, and this would launch ${count}. ${way}, or ask the user with ask_user how many runs there may be.`,
  );
}

const numberOfRuns = String.raw`\d+\s+(?:more\s+|further\s+|other\s+|weitere\s+)?(?:runs?|läufen?)`;

/** Returns whether a message or an answer of the user after the goal matches. */
function isNamed(events: readonly JournalEvent[], source: string): boolean {
  const pattern = new RegExp(`(?<![\\p{L}\\d])(?:${source})(?![\\p{L}\\d])`, 'iu');
  return events.some(
    (event) =>
      (event.type === 'message.added' &&
        (event.origin === 'person' || event.origin === 'resume') &&
        pattern.test(event.text)) ||
      (event.type === 'question.answered' && event.by === 'person' && pattern.test(event.answer)),
  );
}

/** Returns how many runs are used, if it is half of what the goal allows or more. */
export function runsUsed(state: SessionState): string | undefined {
  const { maxRuns } = state.requirements ?? {};
  const { count } = launchedRuns(state);
  return maxRuns === undefined || count < maxRuns / 2
    ? undefined
    : `${counted(Math.max(0, maxRuns - count), 'run')} (${count} of ${maxRuns} runs used)`;
}
