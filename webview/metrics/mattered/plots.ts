/** The scatter of a parameter against the metric, and the best value so far. */
import type {
  MatteredAnswer,
  MatteredAxis,
  MatteredParameter,
  MatteredProgress,
} from '../../../src/protocol/mattered.ts';
import { svg } from '../../shared/dom.ts';
import { dot, picture, xAt, xTicks, yAt, yTicks, type Frame } from './plotArea.ts';

const frame: Frame = { width: 460, height: 260, left: 62, right: 14, top: 12, bottom: 42 };

export type OpenRun = (id: string) => void;

/** Draws a dot per run: the value of a parameter, and the metric. */
export function scatter(
  { runs }: MatteredAnswer,
  parameter: MatteredParameter,
  metric: MatteredAxis,
  open: OpenRun,
): SVGElement {
  const dots = dotsOf(runs, (at) => ({
    x: parameter.places[at],
    y: metric.places[at],
    title: `${parameter.name} ${parameter.texts[at]}, ${metric.name} ${metric.texts[at]}`,
    open,
  }));
  const label = `${metric.name} of ${dots.length} runs by ${parameter.name}: ${parameter.text}`;
  return picture(frame, label, [
    ...xTicks(frame, parameter.ticks),
    ...yTicks(frame, metric.ticks),
    ...titles(axisTitle(parameter), metric.name),
    ...dots,
  ]);
}

const axisTitle = ({ name, isLog }: MatteredAxis): string => (isLog ? `${name} (log)` : name);

/** Draws a dot per run in their order, and the line of the best value so far. */
export function progress(
  { runs }: MatteredAnswer,
  of: MatteredProgress,
  metric: MatteredAxis,
  open: OpenRun,
): SVGElement {
  const dots = dotsOf(runs, (at) => ({
    x: of.places[at],
    y: metric.places[at],
    title: `${metric.name} ${metric.texts[at]}`,
    open,
  }));
  const points = of.line.map(({ x, y }) => `${xAt(frame, x)},${yAt(frame, y)}`).join(' ');
  return picture(frame, of.text, [
    ...xTicks(frame, of.ticks),
    ...yTicks(frame, metric.ticks),
    ...titles('run', metric.name),
    svg('polyline', { class: 'best-line', points }),
    ...dots,
  ]);
}

interface DotPlace {
  readonly x: number | null | undefined;
  readonly y: number | null | undefined;
  readonly title: string;
  readonly open: OpenRun;
}

/** Draws a dot for each run with both places. */
const dotsOf = (
  runs: MatteredAnswer['runs'],
  placeOf: (at: number) => DotPlace,
): readonly SVGElement[] =>
  runs.flatMap(({ id, name, isChampion }, at) => {
    const { x, y, title, open } = placeOf(at);
    if (typeof x !== 'number' || typeof y !== 'number') return [];
    const place = { x: xAt(frame, x), y: yAt(frame, y) };
    return [dot(place, { title: `${name}: ${title}`, isChampion, open: () => open(id) })];
  });

function titles(x: string, y: string): SVGElement[] {
  const middle = (frame.top + frame.height - frame.bottom) / 2;
  return [
    svg(
      'text',
      { class: 'axis-title', x: frame.width / 2, y: frame.height - 6, 'text-anchor': 'middle' },
      x,
    ),
    svg(
      'text',
      {
        class: 'axis-title',
        x: 12,
        y: middle,
        transform: `rotate(-90 12 ${middle})`,
        'text-anchor': 'middle',
      },
      y,
    ),
  ];
}
