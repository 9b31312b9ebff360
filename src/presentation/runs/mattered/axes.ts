/** Places values on axes, for views that compute nothing themselves. */
import { formatValue } from '../../../base/text.ts';
import type { MatteredTick } from '../../../protocol/mattered.ts';

/** An axis from 0 to 1. */
export interface Scale {
  readonly isLog: boolean;
  readonly ticks: readonly MatteredTick[];
  /** Returns the place of a value; of a value below 0 on a logarithmic axis, 0. */
  place(value: number): number;
}

/** Share of the axis that stays free at each end. */
const margin = 0.04;
/** Number of different values up to which each has a tick. */
const maxOwnTicks = 6;
const wantedTicks = 4;

/** Returns an axis that shows all values, which are finite, and above 0 if `isLog`. */
export function scaleOf(values: readonly number[], isLog: boolean): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const to = (value: number): number => (isLog ? Math.log10(value) : value);
  const range = to(high) - to(low);
  const place = (value: number): number => {
    const share = range === 0 ? 0.5 : (to(value) - to(low)) / range;
    return Number.isFinite(share) ? margin + (1 - 2 * margin) * share : 0;
  };
  const at = tickValues(values, isLog ? powers(low, high) : rounds(low, high));
  return {
    isLog,
    place,
    ticks: at.map((value) => ({ place: place(value), text: shortText(value) })),
  };
}

/** Returns the values themselves if they are few, otherwise round ones. */
function tickValues(values: readonly number[], round: readonly number[]): readonly number[] {
  const distinct = new Set(values);
  return distinct.size <= maxOwnTicks ? [...distinct].toSorted((a, b) => a - b) : round;
}

/** Returns an axis with a place for each text, in order. */
export function levelScale(levels: readonly string[]): {
  readonly ticks: readonly MatteredTick[];
  place(level: string): number;
} {
  const place = (level: string): number => (levels.indexOf(level) + 0.5) / levels.length;
  return { place, ticks: levels.map((level) => ({ place: place(level), text: level })) };
}

/** Returns the powers of ten in the range; if there is one or none, also both ends. */
function powers(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const count = Math.max(0, Math.floor(Math.log10(high) + 1e-9) - first + 1);
  const every = Math.ceil(count / (wantedTicks + 2));
  const found = Array.from({ length: count }, (_, at) => Number(`1e${first + at}`));
  const shown = found.filter((_, at) => at % every === 0);
  return shown.length > 1 ? shown : [low, high];
}

/** Returns round numbers in the range. */
function rounds(low: number, high: number): number[] {
  const rough = (high - low) / wantedTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

const shortText = (value: number): string => formatValue(Number(value.toPrecision(3)));
