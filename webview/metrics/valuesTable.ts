/**
 * The values of a chart as text: a table with last, minimum, maximum and trend per run, and a
 * description for screen readers.
 */
import { element } from '../shared/dom.ts';
import { describeX, formatValue } from '../shared/format.ts';
import type { CardLine } from './cardLine.ts';
import type { Point } from './series.ts';
import { paintSwatch } from '../shared/theme.ts';

interface LineFacts {
  readonly last: string;
  readonly min: string;
  readonly max: string;
  readonly trend: string;
}

/**
 * Computes a run's values from the points that were read for the chart. Downsampling keeps the
 * lowest and the highest point, so the values are exact for the x range that was read.
 */
function factsOf(line: CardLine): LineFacts {
  const { points, marks, axis } = line.series;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const { y } of points) {
    if (Number.isNaN(y)) continue;
    min = Math.min(min, y);
    max = Math.max(max, y);
  }
  const newest = points.at(-1);
  const lastMark = marks.at(-1);
  const last =
    newest === undefined
      ? ''
      : Number.isNaN(newest.y)
        ? (lastMark?.kind ?? '')
        : formatValue(newest.y);
  const first = marks[0];
  const broken = first === undefined ? '' : `, ${first.kind} from ${describeX(first.x, axis)}`;
  const hasValues = min <= max;
  return {
    last,
    min: hasValues ? formatValue(min) : '',
    max: hasValues ? formatValue(max) : '',
    trend: trendOf(points) + broken,
  };
}

/**
 * Returns the trend. If the points are split into tenths, compares the mean of the last tenth with
 * the mean of the eighth tenth. Returns `level` if the difference is small relative to the noise.
 */
function trendOf(points: readonly Point[]): string {
  const values = points.flatMap(({ y }) => (Number.isNaN(y) ? [] : [y]));
  const part = Math.floor(values.length / 10);
  if (part < 1) return 'too few values';
  const newest = values.slice(-part);
  const earlier = values.slice(-3 * part, -2 * part);
  const change = mean(newest) - mean(earlier);
  const spread = Math.max(deviation(newest), deviation(earlier)) / Math.sqrt(part);
  const isClear = Math.abs(change) > Math.max(2 * spread, Math.abs(mean(earlier)) * 1e-3);
  if (!isClear) return 'level';
  return change < 0 ? 'falling' : 'rising';
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

export function valueRows(lines: readonly CardLine[]): readonly HTMLTableRowElement[] {
  return lines.map((line) => {
    const { last, min, max, trend } = factsOf(line);
    const swatch = element('span', { class: 'swatch' });
    paintSwatch(swatch, line.style);
    const numbers = [last, min, max].map((text) => element('td', { class: 'number' }, text));
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, swatch, line.item.name),
      ...numbers,
      element('td', {}, trend),
    );
  });
}

/**
 * Returns the chart's description for screen readers, for example `loss, 1 run. run 7: last 0.83,
 * lowest 0.81, highest 2.3, falling`.
 */
export function chartInText(metric: string, lines: readonly CardLine[]): string {
  if (lines.length === 0) return `${metric}: no runs shown`;
  const runs = lines.slice(0, 6).map((line) => {
    const { last, min, max, trend } = factsOf(line);
    return `${line.item.name}: last ${last}, lowest ${min}, highest ${max}, ${trend}`;
  });
  const more = lines.length > 6 ? `; and ${lines.length - 6} more` : '';
  return `${metric}, ${lines.length} ${lines.length === 1 ? 'run' : 'runs'}. ${runs.join('; ')}${more}`;
}
