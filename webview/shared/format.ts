/** Formats metric values, axis labels and elapsed times for display. */
import { axisMetric, type XAxis } from '../../src/protocol/metricsPanel.ts';

/** Formats a metric value with the digits that a script prints: `43.933`, `1.2e-5`, `NaN`. */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isInteger(value) && size < 1e7) return String(value);
  const rounded = Number(value.toPrecision(6));
  return size >= 1e7 || size < 1e-3 ? rounded.toExponential() : String(rounded);
}

/**
 * Formats a label of the y axis, with enough digits to differ from the next label. `stepSize` is
 * the distance between labels; 0 if they are not evenly spaced.
 */
export function formatTick(value: number, stepSize: number): string {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e6 || (stepSize || size) < 1e-3) return trimmed(value.toExponential(2));
  if (stepSize === 0)
    return size >= 1e4
      ? `${Number((value / 1000).toPrecision(3))}k`
      : String(Number(value.toPrecision(3)));
  if (size >= 1e4) return `${Number((value / 1000).toFixed(decimals(stepSize / 1000)))}k`;
  return value.toFixed(decimals(stepSize));
}

const decimals = (stepSize: number): number =>
  Math.min(8, Math.max(0, Math.ceil(-Math.log10(stepSize) - 1e-9)));

const trimmed = (exponential: string): string =>
  exponential.replace(/\.?0+e/, 'e').replace('e+', 'e');

/** Formats a label of the x axis: `12k` for steps, `5 min` for times, `14:05` for a clock. */
export function formatX(x: number, axis: XAxis): string {
  if (axis === 'clock') return formatClock(x);
  return axis === 'time' ? formatElapsed(x) : formatCount(x);
}

/** Formats a local time; at midnight, its day: `14:05`, `14:05:30`, `3 Mar`. */
function formatClock(timeMs: number): string {
  const date = new Date(timeMs);
  const isSeconds = date.getSeconds() !== 0 || date.getMilliseconds() !== 0;
  if (isSeconds) return date.toLocaleTimeString('en-GB');
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return isMidnight
    ? date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const niceTimes = [1, 2, 5, 10, 15, 30].flatMap((count) => [count * second, count * minute]);
const niceHours = [1, 2, 3, 6, 12, 24, 48, 96].map((count) => count * hour);
const timeSteps = [...niceTimes, ...niceHours].sort((a, b) => a - b);

/**
 * Returns the distance between the labels of a time axis, in milliseconds: the smallest round time
 * that needs at most about `labels` labels. Returns `undefined` for a range below two seconds, and
 * for a range that is too long for the largest round time.
 */
export const timeStep = (rangeMs: number, labels: number): number | undefined =>
  rangeMs < 2 * second ? undefined : timeSteps.find((stepMs) => rangeMs / stepMs <= labels);

/**
 * Formats an x position for screen readers: `step 12,400`, `tokens 1,000`, `1 h 20 min`,
 * `3 Mar, 14:05:30`.
 */
export function describeX(x: number, axis: XAxis): string {
  if (axis === 'time') return formatElapsed(x);
  if (axis === 'clock') return moments.format(x);
  return `${axisMetric(axis) ?? 'step'} ${groups.format(Math.abs(x) < 10 ? x : Math.round(x))}`;
}

const moments = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

function formatCount(count: number): string {
  const size = Math.abs(count);
  if (size >= 1e6) return `${Number((count / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((count / 1e3).toPrecision(4))}k`;
  return String(Number(count.toPrecision(6)));
}

export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.abs(elapsedMs) / 1000;
  const sign = elapsedMs < 0 ? '-' : '';
  if (seconds < 60) return `${sign}${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  const wholeSeconds = Math.round(seconds);
  const minutes = Math.floor(wholeSeconds / 60);
  if (minutes < 60) return sign + twoUnits(minutes, 'min', wholeSeconds % 60, 's');
  return sign + twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

const twoUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
