/** Converts values to positions on an axis, and chooses round values for the ticks. */
import { formatValue } from '../base/text.ts';

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Scale {
  /** Returns the position of a value on the axis, in pixels. */
  place(value: number): number;
  readonly ticks: readonly Tick[];
  readonly isLog: boolean;
}

/**
 * Describes a scale by two values and their positions, from which a script can compute the value at
 * a position: `LOW HIGH POSITION POSITION`, and `log` for a logarithmic scale.
 */
export const scaleText = ({ place, isLog }: Scale, low: number, high: number): string =>
  [low, high, place(low).toFixed(2), place(high).toFixed(2), ...(isLog ? ['log'] : [])].join(' ');

interface AxisRange {
  readonly low: number;
  readonly high: number;
  /** Position of the value `low`, in pixels. */
  readonly from: number;
  /** Position of the value `high`, in pixels. */
  readonly to: number;
}

/** A logarithmic scale needs at least this ratio between the largest and the smallest value. */
const logFromRatio = 100;
/** Approximate number of ticks on an axis. */
const wantedTicks = 5;

/**
 * Returns a scale for finite values; logarithmic if `mayBeLog` allows it and the values differ by a
 * factor of at least 100. If `low` and `high` are equal, extends the range on both sides.
 */
export function scaleFor(range: AxisRange, mayBeLog = false): Scale {
  const isLog = mayBeLog && range.low > 0 && range.high / range.low >= logFromRatio;
  return isLog ? logScale(range) : linearScale(range);
}

function linearScale({ low, high, from, to }: AxisRange): Scale {
  const [first, last] =
    low === high ? [low - roomAround(low), high + roomAround(high)] : [low, high];
  // Halves the values first, since the difference of two very large numbers is infinite.
  const place = (value: number): number =>
    from + ((value / 2 - first / 2) / (last / 2 - first / 2)) * (to - from);
  return { place, isLog: false, ticks: linearTicks(first, last) };
}

const roomAround = (value: number): number => Math.abs(value) * 0.05 || 1;

function linearTicks(low: number, high: number): Tick[] {
  const step = niceStep((high / 2 - low / 2) * (2 / wantedTicks));
  if (!Number.isFinite(step) || step === 0) return [];
  const ticks: Tick[] = [];
  for (
    let index = Math.ceil(low / step);
    index * step <= high && ticks.length < 4 * wantedTicks;
    index++
  ) {
    const at = Number((index * step).toPrecision(12));
    ticks.push({ at, text: formatValue(at) });
  }
  return ticks;
}

/** Returns the smallest number that is 1, 2 or 5 times a power of ten and at least `min`. */
function niceStep(min: number): number {
  const power = 10 ** Math.floor(Math.log10(min));
  const factor = [1, 2, 5, 10].find((each) => each * power >= min) ?? 10;
  return factor * power;
}

function logScale({ low, high, from, to }: AxisRange): Scale {
  const [first, last] = [Math.log10(low), Math.log10(high)];
  const place = (value: number): number =>
    from + ((Math.log10(value) - first) / (last - first)) * (to - from);
  const every = Math.max(1, Math.ceil((last - first) / (2 * wantedTicks)));
  const ticks: Tick[] = [];
  for (let power = Math.ceil(first); power <= last; power += every)
    ticks.push({ at: 10 ** power, text: formatValue(10 ** power) });
  return { place, isLog: true, ticks };
}
