import { svg } from './dom.ts';

/** Line icons on a grid of 16, drawn with the colour of the text around them. */
const shapes = {
  pin: ['M6 2.5h4M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5'],
  pinned: ['M6 2.5h4M6.5 2.5v4L4.5 9h7l-2-2.5v-4zM8 9v4.5'],
  zoomIn: ['M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9zM10.2 10.2l3.3 3.3M7 5v4M5 7h4'],
  zoomOut: ['M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9zM10.2 10.2l3.3 3.3M5 7h4'],
  reset: ['M2.5 6v-3.5h3.5M13.5 6v-3.5h-3.5M2.5 10v3.5h3.5M13.5 10v3.5h-3.5'],
  save: ['M8 2.5v7.5M5 7l3 3l3-3M2.5 11v2.5h11v-2.5'],
  champion: ['M8 2.2l1.8 3.7l4 .6l-2.9 2.8l.7 4l-3.6-1.9l-3.6 1.9l.7-4L2.2 6.5l4-.6z'],
  ok: ['M3.5 8.5l3 3l6-7'],
  bad: ['M4 4l8 8M12 4l-8 8'],
  running: ['M5.5 3.5l6.5 4.5l-6.5 4.5z'],
  ended: ['M4.5 8h7'],
} as const;

export type IconName = keyof typeof shapes;

const filled: ReadonlySet<IconName> = new Set(['pinned', 'champion', 'running']);

/** Decoration only: the control or text beside it says what it means. */
export const icon = (name: IconName): SVGElement =>
  svg(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' },
    ...shapes[name].map((path) =>
      svg('path', {
        d: path,
        fill: filled.has(name) ? 'currentColor' : 'none',
        stroke: 'currentColor',
        'stroke-width': 1.1,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
      }),
    ),
  );
