/** Maps values to positions on an axis, and chooses round tick values. */
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

interface AxisRange {
  readonly low: number;
  readonly high: number;
  /** Positions of `low` and `high`, in pixels. */
  readonly from: number;
  readonly to: number;
}

/** Minimum ratio of the largest to the smallest value for a logarithmic scale. */
const logFromRatio = 100;
const wantedTicks = 5;

/** Returns a scale for finite values. Equal limits get room on both sides. */
export function scaleFor(range: AxisRange, mayBeLog = false): Scale {
  const isLog = mayBeLog && range.low > 0 && range.high / range.low >= logFromRatio;
  return isLog ? logScale(range) : linearScale(range);
}

function linearScale({ low, high, from, to }: AxisRange): Scale {
  const [first, last] =
    low === high ? [low - roomAround(low), high + roomAround(high)] : [low, high];
  // Halved first: the difference of very large numbers is infinite.
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

/** Returns 1, 2 or 5 times a power of ten, not below `min`. */
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
