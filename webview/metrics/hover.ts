/** Shows the values of all runs at the same x. */
import { element, setText } from '../shared/dom.ts';
import { describeX, formatValue } from '../shared/format.ts';
import type { CardLine } from './cardLine.ts';
import { nearestIndex } from './series.ts';
import { paintSwatch } from '../shared/theme.ts';
import type { PanelMetric, XAxis } from '../../src/protocol/metricsPanel.ts';
import type { Range } from '../shared/range.ts';

export interface Hit {
  readonly line: CardLine;
  readonly x: number;
  /** Value at this point. Smoothed if smoothing is on; NaN and ±∞ are never smoothed. */
  readonly value: number;
}

/**
 * Returns the point nearest to `x` per run. Omits a run whose nearest point is farther away than a
 * twentieth of the plot's width.
 */
export function hitsAt(lines: readonly CardLine[], x: number, shown: Range): readonly Hit[] {
  const reach = (shown.to - shown.from) / 20;
  return lines.flatMap((line) => {
    const points = line.series.smooth ?? line.series.points;
    const point = points[nearestIndex(points, x)];
    if (point === undefined || Math.abs(point.x - x) > reach) return [];
    const value = Number.isNaN(point.y) ? nonFiniteAt(line, point.x) : point.y;
    return [{ line, x: point.x, value }];
  });
}

function nonFiniteAt(line: CardLine, x: number): number {
  const mark = line.series.marks[nearestIndex(line.series.marks, x)];
  if (mark === undefined || mark.kind === 'NaN') return Number.NaN;
  return mark.kind === 'Inf' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

/**
 * Returns the hits sorted from best to worst, with NaN and ±∞ last. For a metric without direction,
 * lower values come first.
 */
export const ranked = (hits: readonly Hit[], direction: PanelMetric['direction']): readonly Hit[] =>
  [...hits].sort((a, b) => {
    const isFiniteDifference = Number(Number.isFinite(b.value)) - Number(Number.isFinite(a.value));
    if (isFiniteDifference !== 0) return isFiniteDifference;
    return direction === 'higher' ? b.value - a.value : a.value - b.value;
  });

export const hitsText = (hits: readonly Hit[], x: number, axis: XAxis): string =>
  `${describeX(x, axis)}: ${hits.map((hit) => `${hit.line.item.name} ${valueText(hit)}`).join(', ')}`;

/** Formats the value; for a mean, with its standard deviation and the number of its runs. */
function valueText({ line, x, value }: Hit): string {
  const band = line.series.band?.at(x);
  const text = formatValue(value);
  if (band === undefined) return text;
  return band.n > 1
    ? `${text} ± ${Number(band.spread.toPrecision(2))} (n = ${band.n})`
    : `${text} (n = 1)`;
}

const maxRows = 9;

/** A small box with values next to the crosshair, styled like the editor's hovers. */
export class HoverBox {
  readonly root = element('div', { class: 'hover', 'aria-hidden': 'true', hidden: true });
  readonly #position = element('div', { class: 'hover-x' });
  readonly #rows = element('div', { class: 'hover-rows' });

  constructor() {
    this.root.append(this.#position, this.#rows);
  }

  show(
    hits: readonly Hit[],
    at: { readonly x: number; readonly pixel: number; readonly axis: XAxis },
  ): void {
    this.root.hidden = hits.length === 0;
    if (hits.length === 0) return;
    setText(this.#position, describeX(at.x, at.axis));
    this.#rows.replaceChildren(
      ...hits.slice(0, maxRows).flatMap(rowOf),
      ...this.#more(hits.length - maxRows),
    );
    const width = this.root.offsetWidth;
    const room = this.root.parentElement?.clientWidth ?? 0;
    const isRight = at.pixel + 14 + width <= room;
    this.root.style.left = `${isRight ? at.pixel + 14 : Math.max(0, at.pixel - 14 - width)}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }

  #more(count: number): readonly HTMLElement[] {
    return count > 0
      ? [element('span'), element('span', { class: 'muted' }, `and ${count} more`), element('span')]
      : [];
  }
}

function rowOf(hit: Hit): readonly HTMLElement[] {
  const { line } = hit;
  const swatch = element('span', { class: 'swatch' });
  paintSwatch(swatch, line.style);
  const name = element(
    'span',
    { class: line.item.isChampion ? 'hover-name champion' : 'hover-name' },
    line.item.name,
  );
  return [swatch, name, element('span', { class: 'number' }, valueText(hit))];
}
