/** Says in words what is known of a parameter. */
import { counted, formatValue } from '../../../base/text.ts';
import type { Effect, Importance } from '../../../experiments/importance/importance.ts';
import { minSettings } from '../../../experiments/importance/importance.ts';
import type { Decisive } from '../../../experiments/ledger.ts';
import type { MeasuredRun, MeasuredRuns } from './measured.ts';

type Direction = Decisive['direction'];

/** Rank correlation below which neither end of a parameter is called better. */
const leastCorrelation = 0.25;

/** Formats a share of the variance: `62 %`, `0.4 %`. */
const percent = (share: number): string => {
  const value = 100 * share;
  return value > 0 && value < 1 ? '< 1 %' : `${Math.round(value)} %`;
};

/**
 * Says how much a parameter explains: `62 % of the variance (48–71 %), lower is better, 40 runs`. Of
 * one for which chance explains as much, only how much it may explain at most.
 */
export function effectText(
  effect: Effect,
  direction: Direction,
  runs: readonly MeasuredRun[],
): string {
  const { isClaimed, isEntangled, share, low, high } = effect;
  const count = counted(effect.runs, 'run');
  if (!isClaimed && isEntangled)
    return `varies together with parameters above, which explain as much, ${count}`;
  if (!isClaimed)
    return `at most ${Math.max(1, Math.ceil(100 * high))} % of the variance, ${count}`;
  const interval = `${Math.round(100 * low)}–${percent(high)}`;
  return `${percent(share)} of the variance (${interval}), ${better(effect, direction, runs)}, ${count}`;
}

function better(effect: Effect, direction: Direction, runs: readonly MeasuredRun[]): string {
  const { correlation } = effect;
  if (correlation === undefined) return `${bestLevel(effect.name, direction, runs)} is best`;
  if (isBestBetween(effect.name, direction, runs)) return 'values in between are better';
  if (Math.abs(correlation) < leastCorrelation) return 'neither end is better';
  return correlation > 0 === (direction === 'lower') ? 'lower is better' : 'higher is better';
}

/** Returns whether the middle third of the runs, by the parameter, is better than both others. */
function isBestBetween(name: string, direction: Direction, runs: readonly MeasuredRun[]): boolean {
  const valueOf = ({ parameters }: MeasuredRun): number => Number(parameters[name]);
  const ordered = runs.filter((run) => Number.isFinite(valueOf(run)));
  ordered.sort((a, b) => valueOf(a) - valueOf(b));
  const size = Math.floor(ordered.length / 3);
  const sign = direction === 'lower' ? 1 : -1;
  const [low, high] = [ordered.slice(0, size), ordered.slice(-size)];
  const middle = sign * meanOf(ordered.slice(size, -size));
  return size > 0 && middle < Math.min(sign * meanOf(low), sign * meanOf(high));
}

function bestLevel(name: string, direction: Direction, runs: readonly MeasuredRun[]): string {
  const levels = [...Map.groupBy(runs, ({ parameters }) => parameters[name] ?? 'not set')];
  const means = levels.map(([level, of]) => ({ level, mean: meanOf(of) }));
  const sign = direction === 'lower' ? 1 : -1;
  return means.toSorted((a, b) => sign * (a.mean - b.mean))[0]?.level ?? '';
}

export const meanOf = (runs: readonly MeasuredRun[]): number =>
  runs.reduce((sum, { value }) => sum + value, 0) / runs.length;

/** Says how strongly a number and the metric rise together. */
export function correlationText({ correlation }: Effect, metric: string): string {
  if (correlation === undefined) return 'Category';
  const size = Math.abs(correlation);
  const strength = size >= 0.7 ? 'strong' : size >= 0.4 ? 'moderate' : size >= 0.2 ? 'weak' : 'no';
  const value = correlation.toFixed(2).replace('-', '−');
  return `${strength[0]?.toUpperCase()}${strength.slice(1)} rank correlation with ${metric} (${value})`;
}

/** Says what the view compares. */
export function headingOf({ decisive, runs }: MeasuredRuns, settings: number): string {
  if (decisive === undefined) return 'No metric decides';
  const best = decisive.rule === 'best' ? ', best of each run' : '';
  const count = `${counted(runs.length, 'run')} with ${counted(settings, 'setting')}`;
  return `${decisive.metric}${best}, ${decisive.direction} is better: ${count}`;
}

/** Noncentrality at which an effect is found in 80 % of the cases, corrected for some parameters. */
const findable = 13;

/** Says what is left out, what is missing, and how small an effect may go unnoticed. */
export function notesOf(measured: MeasuredRuns, { settings, effects }: Importance): string[] {
  const { decisive, leftOut, runs } = measured;
  const out = leftOut === 0 ? [] : [`${counted(leftOut, 'run')} left out: ${outReasons}.`];
  if (decisive === undefined)
    return ['No metric with a known better direction was measured. Name one in the goal.'];
  if (settings < minSettings) return [tooFewText(settings), ...out];
  if (effects.length === 0) return ['No parameter varies between these runs.', ...out];
  return [precisionText(runs.length, { settings, effects }), ...out];
}

const outReasons = 'active, failed, invalid, or without a finite value';

const tooFewText = (settings: number): string =>
  `${minSettings} runs with different settings are needed to say what mattered; ${settings} are measured. ${minSettings - settings} more are needed.`;

/** Says how small an effect may go unnoticed. */
function precisionText(runs: number, { settings, effects }: Importance): string {
  const explained = effects.reduce((sum, one) => sum + (one.isClaimed ? one.share : 0), 0);
  const share = (findable * Math.max(0.01, 1 - explained)) / (findable + settings);
  const text = `With ${counted(settings, 'setting')}, a parameter with less than about ${percent(share)} of the variance may go unnoticed.`;
  return runs > settings ? text : `${text} Repeats with other seeds show what is noise.`;
}

/** Says that two parameters act together. */
export function interactionText({ interaction }: Importance): string | undefined {
  if (interaction === undefined) return undefined;
  const [one, other] = interaction.names;
  return `${one} and ${other} act together: a further ${percent(interaction.share)} of the variance depends on the combination.`;
}

export const valueText = (value: number): string => formatValue(Number(value.toPrecision(4)));
