/**
 * Draws one metric of several runs: a thicker line for the champion, a dashed line for the goal,
 * and a cross at each non-finite value.
 */
import type { SeriesColumns } from '../metrics/metric.ts';
import { downsampleForPlot, stepAxis } from '../metrics/plot/downsampleForPlot.ts';
import { plotPixels, renderPlot, topOfPlot, type LegendEntry } from './plot.ts';
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
}

export interface RunChart {
  readonly metric: string;
  readonly runs: readonly ChartRun[];
  readonly goal?: { readonly value: number; readonly text: string };
}

type Curve = Omit<ChartRun, 'series'> & ReturnType<typeof downsampleForPlot>;

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
export function runChart({ metric, runs, goal }: RunChart): string | undefined {
  const drawn = withoutDiverged(
    runs.map(({ series, ...run }) => ({
      ...run,
      ...downsampleForPlot(stepAxis(series), series.values, { pixels: plotPixels / 2 }),
    })),
  );
  const hasMarks = drawn.some(({ nonFinite }) => nonFinite.length > 0);
  return renderPlot({
    title: metric,
    description: describe(metric, drawn),
    xTitle: 'step',
    xs: drawn.flatMap(({ x, nonFinite }) => [...x, ...nonFinite.map((mark) => mark.x)]),
    ys: drawn.flatMap(({ y, isBeyond }) => (isBeyond ? [] : [...y])),
    mayBeLog: (goal?.value ?? 1) > 0,
    ...(goal && { goal }),
    legend: [...drawn.map(entryOf), ...(hasMarks ? [nonFiniteEntry] : [])],
    draw: (x, y) =>
      inOrder(drawn)
        .map((run) => drawRun(run, { x, y }))
        .join('\n'),
  });
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

const describe = (metric: string, runs: readonly DrawnRun[]): string =>
  `${metric} by step of ${runs.map((run) => (run.isChampion ? `${run.name} (champion)` : spokenName(run))).join(', ')}`;

/** Returns the name of a run, as the text that describes the chart says it. */
export const spokenName = ({ name, isExcluded }: Omit<ChartRun, 'series'>): string =>
  isExcluded === true ? `${name} (excluded)` : name;

/** Returns the runs with the champion last, so that its line is above the others. */
const inOrder = (runs: readonly DrawnRun[]): readonly DrawnRun[] =>
  runs.toSorted((a, b) => Number(a.isChampion) - Number(b.isChampion));

const classOf = ({ number, isChampion }: DrawnRun): string =>
  `line ${lineClass(number)}${isChampion ? ' strong' : ''}`;

function drawRun(run: DrawnRun, { x, y }: { readonly x: Scale; readonly y: Scale }): string {
  const points = [...run.x].map((at, position): [number, number] => [
    x.place(at),
    y.place(run.y[position] ?? NaN),
  ]);
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
  return (points.length === 0 ? '' : line) + marks.join('');
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
});

const nonFiniteEntry: LegendEntry = {
  text: 'infinite or NaN',
  sign: (x, y) => cross(x, y, 'infinite or NaN'),
};
