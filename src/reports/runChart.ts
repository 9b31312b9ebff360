/**
 * Draws one metric of several runs: a thicker line for the champion, a dashed line for the goal,
 * and a cross at each non-finite value. Repeats are drawn as their mean, in a band of one standard
 * deviation.
 */
import type { SeriesColumns } from '../metrics/metric.ts';
import { downsampleForPlot, stepAxis } from '../metrics/plot/downsampleForPlot.ts';
import { inOrder } from '../metrics/plot/inOrder.ts';
import { meanCurve } from '../metrics/plot/meanCurve.ts';
import { lineGroup, plotPixels, renderPlot, topOfPlot, type LegendEntry } from './plot.ts';
import type { Scale } from './scale.ts';
import { element, lineClass, pathOf, xmlText } from './svg.ts';

export interface ChartRun {
  /** The run's number in its session, from 1. Colour and dashes of its line depend only on it. */
  readonly number: number;
  /** Name of the run, for example `run 7`. */
  readonly name: string;
  readonly isChampion: boolean;
  /** True for a run whose values support no result, such as one that diverged. Default: false. */
  readonly isExcluded?: boolean;
  readonly series: SeriesColumns;
  /** Series of the runs that repeat it; the line is then the mean of all. Default: none. */
  readonly repeats?: readonly SeriesColumns[];
}

export interface RunChart {
  readonly metric: string;
  /** Number of columns to which each line is reduced. Default: half of the width in pixels. */
  readonly columns?: number;
  readonly runs: readonly ChartRun[];
  readonly goal?: { readonly value: number; readonly text: string };
}

type Points = ReturnType<typeof downsampleForPlot>;

interface Curve extends Omit<ChartRun, 'series' | 'repeats'>, Points {
  /** Edges of the band around a mean: the mean minus and plus one standard deviation. */
  readonly band?: readonly [low: Points, high: Points];
}

interface DrawnRun extends Curve {
  /** True if the run diverged so far that the range of the axis ignores its values. */
  readonly isBeyond: boolean;
}

/**
 * A run has diverged if its largest absolute value exceeds this multiple of the median over all
 * runs.
 */
const divergedFactor = 100;

/** Returns an SVG document; `undefined` if no run has a finite value. */
export function runChart({
  metric,
  runs,
  goal,
  columns = plotPixels / 2,
}: RunChart): string | undefined {
  const drawn = withoutDiverged(runs.map((run) => curveOf(run, columns)));
  const hasMarks = drawn.some(({ nonFinite }) => nonFinite.length > 0);
  return renderPlot({
    title: metric,
    description: describe(metric, drawn),
    xTitle: 'step',
    xs: drawn.flatMap(({ x, nonFinite }) => [...x, ...nonFinite.map((mark) => mark.x)]),
    ys: drawn.flatMap((run) => (run.isBeyond ? [] : shownValues(run))),
    mayBeLog: (goal?.value ?? 1) > 0,
    ...(goal && { goal }),
    legend: [...drawn.map(entryOf), ...(hasMarks ? [nonFiniteEntry] : [])],
    draw: (x, y) =>
      championLast(drawn)
        .map((run) => drawRun(run, { x, y }))
        .join('\n'),
  });
}

function curveOf({ series, repeats = [], ...run }: ChartRun, pixels: number): Curve {
  if (repeats.length === 0)
    return { ...run, ...downsampleForPlot(stepAxis(series), series.values, { pixels }) };
  const curves = [series, ...repeats].map((one) => inOrder({ x: stepAxis(one), y: one.values }));
  const { x, mean, low, high } = meanCurve(curves);
  const edge = (y: Float64Array): Points => downsampleForPlot(x, y, { pixels: pixels / 2 });
  const marks = curves.flatMap(({ x, y }) => downsampleForPlot(x, y, { pixels }).nonFinite);
  return {
    ...run,
    ...downsampleForPlot(x, mean, { pixels }),
    nonFinite: marks.toSorted((a, b) => a.x - b.x),
    band: [edge(low), edge(high)],
  };
}

/** Marks the runs that diverged. Never marks the champion. */
function withoutDiverged(curves: readonly Curve[]): readonly DrawnRun[] {
  const sizeOf = ({ y }: Curve): number =>
    y.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const sizes = curves
    .filter(({ y }) => y.length > 0)
    .map(sizeOf)
    .sort((a, b) => a - b);
  const usual = sizes[Math.floor((sizes.length - 1) / 2)] ?? 0;
  const isDiverged = (curve: Curve): boolean =>
    !curve.isChampion && usual > 0 && sizeOf(curve) > divergedFactor * usual;
  return curves.map((curve) => ({ ...curve, isBeyond: isDiverged(curve) }));
}

/**
 * Returns the values that the axis must show. Omits the part of a band that would prevent a
 * logarithmic scale for positive values.
 */
function shownValues({ y, band }: Curve): readonly number[] {
  const isPositive = y.every((value) => value > 0);
  const edges = band?.flatMap((edge) => [...edge.y]) ?? [];
  return [...y, ...edges.filter((value) => value > 0 || !isPositive)];
}

const describe = (metric: string, runs: readonly DrawnRun[]): string =>
  `${metric} by step of ${runs.map((run) => (run.isChampion ? `${run.name} (champion)` : spokenName(run))).join(', ')}`;

/** Returns the name of a run, as the text that describes the chart says it. */
export const spokenName = ({ name, isExcluded }: Pick<ChartRun, 'name' | 'isExcluded'>): string =>
  isExcluded === true ? `${name} (excluded)` : name;

/** Returns the runs with the champion last, so that its line is above the others. */
const championLast = (runs: readonly DrawnRun[]): readonly DrawnRun[] =>
  runs.toSorted((a, b) => Number(a.isChampion) - Number(b.isChampion));

const classOf = ({ number, isChampion }: DrawnRun): string =>
  `line ${lineClass(number)}${isChampion ? ' strong' : ''}`;

interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

const placed = (points: Pick<Points, 'x' | 'y'>, { x, y }: Scales): [number, number][] =>
  [...points.x].map((at, position) => [x.place(at), y.place(points.y[position] ?? NaN)]);

/** Draws the band as one area: along its lower edge, and back along its upper edge. */
function drawBand({ band, number, isBeyond }: DrawnRun, scales: Scales): string {
  if (band === undefined || isBeyond || band[0].x.length < 2) return '';
  const [low, high] = band.map((edge) => placed(edge, scales));
  const d = `${pathOf([...(low ?? []), ...(high ?? []).toReversed()])}Z`;
  return element('path', { class: `band ${lineClass(number)}`, d });
}

function drawRun(run: DrawnRun, { x, y }: Scales): string {
  const points = placed(run, { x, y });
  const [only] = points;
  const line =
    points.length === 1 && only !== undefined
      ? element('circle', {
          class: `dot ${lineClass(run.number)}`,
          cx: only[0],
          cy: only[1],
          r: 3.5,
        })
      : element(
          'path',
          { class: classOf(run), d: pathOf(points) },
          `<title>${xmlText(run.name)}</title>`,
        );
  const marks = run.nonFinite.map(({ x: at, kind }) =>
    cross(x.place(at), topOfPlot + 4, `${run.name}: ${kind}`),
  );
  const band = drawBand(run, { x, y });
  return lineGroup(run.name, band + (points.length === 0 ? '' : line) + marks.join(''));
}

const cross = (x: number, y: number, title: string): string =>
  element(
    'path',
    { class: 'bad', d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` },
    `<title>${xmlText(title)}</title>`,
  );

const entryOf = (run: DrawnRun): LegendEntry => ({
  text: [
    run.name,
    ...(run.isChampion ? ['champion'] : []),
    ...(run.isExcluded === true ? ['excluded'] : []),
    ...(run.isBeyond ? ['off scale'] : []),
  ].join(' · '),
  sign: (x, y) => element('path', { class: classOf(run), d: `M${x - 12} ${y}h24` }),
  line: run.name,
});

const nonFiniteEntry: LegendEntry = {
  text: 'infinite or NaN',
  sign: (x, y) => cross(x, y, 'infinite or NaN'),
};
