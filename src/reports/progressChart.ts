/** Draws the progress of a session: a dot per run, and a line for the best value so far. */
import type { Decision } from '../experiments/experiment.ts';
import type { BestAfter } from '../experiments/bestSoFar.ts';
import { renderPlot, type LegendEntry } from './plot.ts';
import { element, pathOf, xmlText } from './svg.ts';
import { runName } from '../runs/run.ts';

export interface ProgressPoint {
  /** Run number. */
  readonly number: number;
  readonly value: number;
  /** Undefined until the decision is made. */
  readonly decision?: Decision;
  /**
   * True for a run that ended successfully or is still running, and whose experiment is not invalid
   * or crashed. Only these runs can be the best.
   */
  readonly counts: boolean;
}

export interface ProgressChart {
  readonly metric: string;
  /** Ordered by run number. */
  readonly points: readonly ProgressPoint[];
  /** The best value after each run that changed it; see `bestSoFar`. */
  readonly best: readonly BestAfter[];
  readonly goal?: { readonly value: number; readonly text: string };
}

type Mark = 'keep' | 'discard' | 'bad';

/** Approximate maximum number of dots. Further dots are omitted, because they would overlap. */
const maxDots = 600;

/** Returns an SVG document; `undefined` if there are no finite values. */
export function progressChart({ metric, points, best, goal }: ProgressChart): string | undefined {
  const finite = points.filter(({ value }) => Number.isFinite(value));
  const steps = corners(best, finite.at(-1)?.number);
  const counted = finite.filter(({ counts }) => counts);
  return renderPlot({
    title: `${metric}: best so far`,
    description: `${metric} of ${finite.length} runs in their order, and the best value so far`,
    xTitle: 'run',
    isCounted: true,
    xs: finite.map(({ number }) => number),
    ys: (counted.length > 0 ? counted : finite).map(({ value }) => value),
    mayBeLog: (goal?.value ?? 1) > 0,
    ...(goal && { goal }),
    legend: legendOf(finite),
    draw(x, y) {
      const line = steps.map(([number, value]): [number, number] => [
        x.place(number),
        y.place(value),
      ]);
      const way = element(
        'path',
        { class: 'line strong c0 d0', d: pathOf(line) },
        '<title>best so far</title>',
      );
      return (
        way +
        thinned(finite)
          .map((point) => dot(x.place(point.number), y.place(point.value), point))
          .join('')
      );
    },
  });
}

/**
 * Returns the corners of the line for the best value: horizontal up to the run that changes it, then
 * vertical to the new value; at last horizontal to the last run.
 */
function corners(best: readonly BestAfter[], last: number | undefined): [number, number][] {
  const found = best.flatMap(({ number, value }, index): [number, number][] => {
    const before = best[index - 1]?.value;
    return [
      ...(before === undefined ? [] : [[number, before] as [number, number]]),
      [number, value],
    ];
  });
  const value = best.at(-1)?.value;
  return value === undefined || last === undefined ? found : [...found, [last, value]];
}

/**
 * Omits dots if there are too many: returns all dots with the decision `keep`, and every n-th other
 * dot.
 */
function thinned(points: readonly ProgressPoint[]): readonly ProgressPoint[] {
  const every = Math.ceil(points.length / maxDots);
  return points.filter(({ decision }, index) => decision === 'keep' || index % every === 0);
}

function markOf({ decision, counts }: ProgressPoint): Mark {
  if (decision === 'keep') return 'keep';
  return !counts || decision === 'crash' || decision === 'invalid' ? 'bad' : 'discard';
}

function sign(mark: Mark, x: number, y: number, title: string): string {
  const spoken = `<title>${xmlText(title)}</title>`;
  return mark === 'bad'
    ? element('path', { class: 'bad', d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7` }, spoken)
    : element('circle', { class: mark, cx: x, cy: y, r: mark === 'keep' ? 4.5 : 3.5 }, spoken);
}

const dot = (x: number, y: number, point: ProgressPoint): string =>
  sign(
    markOf(point),
    x,
    y,
    `${runName(point.number)}: ${point.value}${point.decision === undefined ? '' : ` (${point.decision})`}`,
  );

const markTexts: Readonly<Record<Mark, string>> = {
  keep: 'kept',
  discard: 'not kept',
  bad: 'excluded',
};

function legendOf(points: readonly ProgressPoint[]): LegendEntry[] {
  const seen = new Set(points.map(markOf));
  const marks = (['keep', 'discard', 'bad'] as const).filter((mark) => seen.has(mark));
  const best = (x: number, y: number): string =>
    element('path', { class: 'line strong c0 d0', d: `M${x - 12} ${y}h24` });
  const dots = marks.map((mark): LegendEntry => ({
    text: markTexts[mark],
    sign: (x, y) => sign(mark, x, y, markTexts[mark]),
  }));
  return [{ text: 'best so far', sign: best }, ...dots];
}
