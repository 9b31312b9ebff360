/**
 * Draws the parts that all charts have: a title, two axes with round numbers, the goal as a dashed
 * line, and a legend on the right.
 */
import { scaleFor, scaleText, type Scale } from './scale.ts';
import { element, label, picture } from './svg.ts';

export interface Plot {
  readonly title: string;
  readonly description: string;
  readonly xTitle: string;
  /** The x values of all points. Non-finite values do not affect the axis. */
  readonly xs: Iterable<number>;
  /**
   * The y values that the axis must show. Other values are drawn at the edge of the plot area.
   * Non-finite values do not affect the axis.
   */
  readonly ys: Iterable<number>;
  readonly goal?: { readonly value: number; readonly text: string };
  readonly legend: readonly LegendEntry[];
  /** Whether the y axis is logarithmic if the values differ by a factor of at least 100. */
  readonly mayBeLog?: boolean;
  /** True if the x axis shows integers, such as run numbers. */
  readonly isCounted?: boolean;
  /** Returns the content of the plot area as SVG. `y` limits positions to that area. */
  draw(x: Scale, y: Scale): string;
}

export interface LegendEntry {
  readonly text: string;
  /** Returns the symbol in front of the text as SVG, centred at (x, y). */
  sign(x: number, y: number): string;
  /** Name of the line that the entry explains, as `lineGroup` has it. Omitted for other symbols. */
  readonly line?: string;
}

/** Groups the drawing of a line, so that a script in a page can find it and its legend entry. */
export const lineGroup = (line: string, content: string): string =>
  content === '' ? '' : element('g', { 'data-line': line }, content);

const width = 860;
const height = 400;
const frame = { left: 72, right: 650, top: 44, bottom: 352 };
/** Width of the plot area in pixels. */
export const plotPixels = frame.right - frame.left;
export const topOfPlot = frame.top;

/** Returns an SVG document; `undefined` if no point is finite. */
export function renderPlot(plot: Plot): string | undefined {
  const { goal, mayBeLog } = plot;
  const [xRange, yRange] = [rangeOf(plot.xs), rangeOf(plot.ys)];
  if (xRange === undefined || yRange === undefined) return undefined;
  const [low, high] =
    goal === undefined
      ? yRange
      : [Math.min(yRange[0], goal.value), Math.max(yRange[1], goal.value)];
  const x = scaleFor({
    low: xRange[0],
    high: xRange[1],
    from: frame.left + 8,
    to: frame.right - 8,
  });
  const y = scaleFor({ low, high, from: frame.bottom - 10, to: frame.top + 10 }, mayBeLog);
  const title = y.isLog ? `${plot.title} (log scale)` : plot.title;
  const parts = [
    label({ class: 'title', x: 16, y: 26 }, title),
    axes(
      plot.isCounted ? { ...x, ticks: x.ticks.filter(({ at }) => Number.isInteger(at)) } : x,
      y,
      plot.xTitle,
    ),
    goal === undefined ? '' : goalLine(y.place(goal.value)),
    element(
      'g',
      { 'data-x': scaleText(x, ...xRange), 'data-y': scaleText(y, low, high) },
      plot.draw(x, { ...y, place: (value) => withinFrame(y.place(value)) }),
    ),
    legend(goal === undefined ? plot.legend : [...plot.legend, goalEntry(goal.text)]),
  ];
  return picture(
    { width, height, title, description: plot.description },
    parts.filter((part) => part !== '').join('\n'),
  );
}

/**
 * Limits a position to the plot area. The position is NaN for a value that a logarithmic scale
 * cannot show; such a value is drawn at the bottom.
 */
const withinFrame = (place: number): number =>
  Number.isNaN(place) ? frame.bottom : Math.min(frame.bottom, Math.max(frame.top, place));

function rangeOf(values: Iterable<number>): readonly [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : undefined;
}

function axes(x: Scale, y: Scale, xTitle: string): string {
  const { left, right, top, bottom } = frame;
  const across = y.ticks.flatMap(({ at, text }) => {
    const place = y.place(at);
    const line = element('line', { class: 'grid', x1: left, x2: right, y1: place, y2: place });
    return [line, label({ x: left - 8, y: place + 4, 'text-anchor': 'end' }, text)];
  });
  const up = x.ticks.map(({ at, text }) =>
    label({ x: x.place(at), y: bottom + 18, 'text-anchor': 'middle' }, text),
  );
  const corner = element('path', {
    class: 'axis',
    d: `M${left} ${top}V${bottom}H${right}`,
    fill: 'none',
  });
  const name = label({ x: (left + right) / 2, y: bottom + 38, 'text-anchor': 'middle' }, xTitle);
  return [...across, ...up, corner, name].join('');
}

function goalLine(place: number): string {
  return element('line', { class: 'goal', x1: frame.left, x2: frame.right, y1: place, y2: place });
}

const goalEntry = (text: string): LegendEntry => ({
  text,
  sign: (x, y) => element('line', { class: 'goal', x1: x - 12, x2: x + 12, y1: y, y2: y }),
});

function legend(entries: readonly LegendEntry[]): string {
  return entries
    .map(({ text, sign, line }, index) => {
      const y = frame.top + 22 * index + 10;
      const entry = sign(frame.right + 60, y) + label({ x: frame.right + 78, y: y + 4 }, text);
      return line === undefined ? entry : element('g', { 'data-entry': line }, entry);
    })
    .join('');
}
