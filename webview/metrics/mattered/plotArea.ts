/** Draws axes and places of the view What Mattered as SVG. */
import type { MatteredTick } from '../../../src/protocol/mattered.ts';
import { svg } from '../../shared/dom.ts';

/** Size of a drawing in units that are scaled to the width of its place. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const xAt = ({ left, right, width }: Frame, place: number): number =>
  left + place * (width - left - right);

export const yAt = ({ top, bottom, height }: Frame, place: number): number =>
  height - bottom - place * (height - top - bottom);

const longest = 14;

/** Shortens a text to what fits beside an axis. */
export const shortened = (text: string, most = longest): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

export function xTicks(frame: Frame, ticks: readonly MatteredTick[]): SVGElement[] {
  const y = frame.height - frame.bottom;
  return ticks.flatMap(({ place, text }) => {
    const x = xAt(frame, place);
    return [
      svg('line', { class: 'grid', x1: x, x2: x, y1: frame.top, y2: y }),
      svg('text', { class: 'tick', x, y: y + 15, 'text-anchor': 'middle' }, shortened(text, 10)),
    ];
  });
}

export function yTicks(frame: Frame, ticks: readonly MatteredTick[]): SVGElement[] {
  const { left, right, width } = frame;
  return ticks.flatMap(({ place, text }) => {
    const y = yAt(frame, place);
    return [
      svg('line', { class: 'grid', x1: left, x2: width - right, y1: y, y2: y }),
      svg(
        'text',
        { class: 'tick', x: left - 6, y: y + 4, 'text-anchor': 'end' },
        shortened(text, 9),
      ),
    ];
  });
}

/** Returns an image with a description for screen readers. */
export const picture = (
  { width, height }: Frame,
  label: string,
  children: readonly SVGElement[],
): SVGElement =>
  svg(
    'svg',
    { class: 'mattered-plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    ...children,
  );

/** Returns a dot that opens its run, with its values as a tooltip. */
export function dot(
  place: { readonly x: number; readonly y: number },
  { title, isChampion, open }: { readonly title: string; isChampion: boolean; open(): void },
): SVGElement {
  const circle = svg(
    'circle',
    {
      class: isChampion ? 'dot is-champion' : 'dot',
      cx: place.x,
      cy: place.y,
      r: isChampion ? 5.5 : 4,
    },
    svg('title', {}, title),
  );
  circle.addEventListener('click', open);
  return circle;
}
