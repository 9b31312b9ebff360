/** The texts of the demo model, in the style of a lab notebook. */
import type { DemoGoal } from './goal.ts';
import { isBetter, meets } from './goal.ts';
import { pointText, type Point } from './space.ts';
import { isDiverged, isMeasured, nameOf, type Trial } from './trials.ts';
import { bestOf, type Proposal } from './search.ts';

export const introduction = (goal: DemoGoal): string =>
  `I am the offline demo: a script, not a language model. I follow a fixed search over a few hyper-parameters, but the runs are real and I decide from what they measure. The goal: ${goalWords(goal)}. First I read the training script.`;

export const goalWords = ({ metric, direction, threshold }: DemoGoal): string =>
  `${metric} ${direction === 'lower' ? 'below' : 'above'} ${threshold}`;

export const account =
  'I am the offline demo of Helios: a script that changes the learning rate, not a language model. What I tried and what the runs measured is in the tables below.';

export const withoutTools =
  'I am the offline demo of Helios: a script, not a language model, so I cannot answer questions. Give me the demo goal and I search for it with real training runs, or choose a provider with a key for a real model.';

export const recovered = (runs: number): string =>
  `I am the scripted offline demo. The conversation was shortened; ${runs} ${runs === 1 ? 'run is' : 'runs are'} on record. I read the training script again and continue from there.`;

export const bringing = (machine: string, folder: string): string =>
  `The goal names ${machine}, so the runs start there. First I copy the project to ${folder}.`;

export const notWritten = (machine: string, folder: string): string =>
  `The project could not be written to ${machine}. Check that the folder ${folder} there is writable.`;

export const plan = (goal: DemoGoal, base: Point): string =>
  `The script takes ${Object.keys(base).join(', ')}. Before anything is changed there must be a number to beat, so the first run is the script as it is: ${pointText(base)}. Then the learning rate in large steps, then momentum and width around the best point, until ${goalWords(goal)}.`;

/** Result of a trial, compared with the best trial before it. */
export interface Finding {
  readonly trial: Trial;
  readonly text: string;
  readonly decision: 'keep' | 'discard' | 'invalid' | 'crash';
}

/** Returns a finding for each trial that just ended, in order. */
export function findings(
  fresh: readonly Trial[],
  before: Trial | undefined,
  goal: DemoGoal,
): Finding[] {
  let best = before;
  return fresh.map((trial) => {
    const text = `${capital(nameOf(trial))} (${pointText(trial.point)}) ${finding(trial, best, goal)}`;
    const decision = decisionOn(trial, best, goal);
    best = bestOf([...(best === undefined ? [] : [best]), trial], goal) ?? best;
    return { trial, text, decision };
  });
}

/**
 * Returns the decision on a trial: keeps the first measured trial as the baseline, and any later
 * trial that is better than the best before.
 */
function decisionOn(trial: Trial, before: Trial | undefined, goal: DemoGoal): Finding['decision'] {
  if (!isMeasured(trial)) return trial.verdict === 'ok' ? 'invalid' : 'crash';
  const isFirst = before === undefined || !isMeasured(before);
  return isFirst || isBetter(trial.value, before.value, goal) ? 'keep' : 'discard';
}

function finding(trial: Trial, before: Trial | undefined, goal: DemoGoal): string {
  const { metric } = goal;
  if (isDiverged(trial))
    return `diverged: ${metric} became ${String(trial.value)}. Discarded; the step was too large.`;
  if (!isMeasured(trial))
    return trial.verdict === 'ok'
      ? `succeeded but printed no ${metric}. Discarded.`
      : `did not succeed: ${trial.verdict ?? 'unknown'}. Discarded.`;
  const value = `reached ${metric} ${shown(trial.value)}`;
  if (meets(trial.value, goal)) return `${value}. That meets the goal.`;
  if (before === undefined || !isMeasured(before)) return `${value}. That is the number to beat.`;
  const than = `${shown(before.value)} of ${nameOf(before)}`;
  return isBetter(trial.value, before.value, goal)
    ? `${value}, better than ${than}. Kept.`
    : `${value}, not better than ${than}. Discarded.`;
}

export const nextPhrases = (proposals: readonly Proposal[]): string =>
  proposals.length === 1
    ? `Next: ${proposals[0]?.why ?? ''} (${pointText(proposals[0]?.point ?? {})}).`
    : `Next, side by side: ${proposals.map(({ point, why }) => `${why} (${pointText(point)})`).join('; ')}.`;

export const metPhrases = (
  trial: Trial,
  baseline: Trial | undefined,
  tried: number,
  goal: DemoGoal,
): string => {
  const from =
    baseline !== undefined && isMeasured(baseline)
      ? `, from ${shown(baseline.value)} with the defaults`
      : '';
  return `The goal, ${goalWords(goal)}, is met: ${nameOf(trial)} with ${pointText(trial.point)} measured ${goal.metric} ${shown(trial.value ?? NaN)}${from}. ${tried} ${tried === 1 ? 'run was' : 'runs were'} made. Found by the scripted offline demo.`;
};

export const exhaustedPhrases = (best: Trial | undefined, tried: number, goal: DemoGoal): string =>
  `The search of this scripted demo is exhausted after ${tried} runs without ${goalWords(goal)}. ${
    best === undefined
      ? `No run measured a finite ${goal.metric}.`
      : `The best was ${nameOf(best)} with ${pointText(best.point)}: ${goal.metric} ${shown(best.value ?? NaN)}.`
  } A real model could change the script itself.`;

/** Formats a value with at most five significant digits. */
export const shown = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(5))) : String(value);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
