/** Answers what the view What Mattered draws of a set of runs. */
import type { BestAfter } from '../../../experiments/bestSoFar.ts';
import { importanceOf, type Effect } from '../../../experiments/importance/importance.ts';
import type {
  MatteredAnswer,
  MatteredAxis,
  MatteredParameter,
  MatteredProgress,
} from '../../../protocol/mattered.ts';
import { levelScale, scaleOf, type Scale } from './axes.ts';
import { gridOf } from './grid.ts';
import type { MeasuredRun, MeasuredRuns } from './measured.ts';
import {
  correlationText,
  effectText,
  headingOf,
  interactionText,
  notesOf,
  valueText,
} from './words.ts';

/** Ratio of the largest to the smallest value from which the metric has a logarithmic axis. */
const logRatio = 50;

export function matteredAnswer(measured: MeasuredRuns): MatteredAnswer {
  const { decisive, runs } = measured;
  const importance = importanceOf(
    runs.map(({ group, parameters, value }) => ({ setting: String(group), parameters, value })),
  );
  const heading = headingOf(measured, importance.settings);
  const notes = notesOf(measured, importance);
  if (decisive === undefined || runs.length === 0)
    return { heading, notes, runs: [], parameters: [] };
  const { metric, direction } = decisive;
  const values = runs.map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = scaleOf(values, low > 0 && high > logRatio * low);
  const interaction = interactionText(importance);
  const varied = variedParameters(runs);
  const grid = gridOf(runs, varied, direction);
  return {
    heading,
    notes,
    runs: rankedRuns(runs, direction),
    metric: metricAxis(metric, runs, scale),
    parameters: importance.effects.map((effect) => ({
      ...axisOf(effect, runs),
      ...sharesOf(effect),
      text: effectText(effect, direction, runs),
      detail: correlationText(effect, metric),
    })),
    ...(interaction !== undefined && { interaction }),
    progress: progressOf(measured, scale),
    ...(grid && { grid }),
  };
}

const sharesOf = ({ isClaimed, share, low, high }: Effect) => ({ isClaimed, share, low, high });

function rankedRuns(
  runs: readonly MeasuredRun[],
  direction: 'lower' | 'higher',
): MatteredAnswer['runs'] {
  const sign = direction === 'lower' ? 1 : -1;
  const order = runs.toSorted((a, b) => sign * (a.value - b.value));
  const ranks = new Map(order.map((run, at) => [run, 1 - at / Math.max(1, runs.length - 1)]));
  return runs.map((run) => ({
    id: run.id,
    name: run.name,
    isChampion: run.isChampion,
    rank: ranks.get(run) ?? 0,
  }));
}

function metricAxis(name: string, runs: readonly MeasuredRun[], scale: Scale): MatteredAxis {
  return {
    name,
    kind: 'number',
    isLog: scale.isLog,
    ticks: scale.ticks,
    places: runs.map(({ value }) => scale.place(value)),
    texts: runs.map(({ value }) => valueText(value)),
  };
}

function axisOf(
  { name, kind, isLog }: Effect,
  runs: readonly MeasuredRun[],
): Omit<MatteredParameter, 'isClaimed' | 'share' | 'low' | 'high' | 'text' | 'detail'> {
  const texts = runs.map(({ parameters }) => parameters[name] ?? '');
  const known = texts.filter((text) => text !== '');
  const { place, ticks } =
    kind === 'category' ? levelScale(levelsOf(known)) : numberScale(known, isLog);
  const places = texts.map((text) => (text === '' ? null : place(text)));
  return { name, kind, isLog, ticks, places, texts };
}

function numberScale(texts: readonly string[], isLog: boolean) {
  const { place, ticks } = scaleOf(texts.map(Number), isLog);
  return { ticks, place: (text: string): number => place(Number(text)) };
}

/** Returns the different texts, numbers by value. */
const levelsOf = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].toSorted((a, b) => {
    const difference = Number(a) - Number(b);
    return Number.isNaN(difference) ? a.localeCompare(b, 'en', { numeric: true }) : difference;
  });

/** Returns the parameters whose values differ between the runs, however few runs there are. */
function variedParameters(runs: readonly MeasuredRun[]) {
  const names = new Set(runs.flatMap(({ parameters }) => Object.keys(parameters)));
  return [...names]
    .map((name) => ({
      name,
      levels: levelsOf(runs.map(({ parameters }) => parameters[name] ?? '')),
    }))
    .filter(({ levels }) => levels.length > 1);
}

function progressOf({ runs, best, decisive }: MeasuredRuns, scale: Scale): MatteredProgress {
  const order = scaleOf(
    runs.map(({ number }) => number),
    false,
  );
  const last = runs.at(-1)?.number;
  return {
    ticks: order.ticks.filter(({ text: tick }) => !tick.includes('.')),
    places: runs.map(({ number }) => order.place(number)),
    line: corners(best, last).map(({ number, value }) => ({
      x: order.place(number),
      y: scale.place(value),
    })),
    text: decisive === undefined ? '' : bestText(best, decisive.metric),
  };
}

/** Returns the corners of the line: level up to the run that changes it, and at last to the last run. */
function corners(best: readonly BestAfter[], last = 0): readonly BestAfter[] {
  const found = best.flatMap(({ number, value }, at) => {
    const before = best[at - 1]?.value;
    return [...(before === undefined ? [] : [{ number, value: before }]), { number, value }];
  });
  const end = best.at(-1);
  return end === undefined ? found : [...found, { number: last, value: end.value }];
}

function bestText(best: readonly BestAfter[], metric: string): string {
  const end = best.at(-1);
  return end === undefined
    ? 'No run counts for the best so far.'
    : `Best ${metric} so far: ${valueText(end.value)}, since run ${end.number}; it changed ${best.length} times.`;
}
