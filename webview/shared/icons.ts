import { svg } from './dom.ts';

/** SVG paths of the icons, on a grid of 16 by 16. */
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
  flag: ['M4 14V2.5h7.5l-1.5 2.75l1.5 2.75H4'],
  person: [
    'M8 2.5a2.75 2.75 0 1 1 0 5.5a2.75 2.75 0 1 1 0-5.5zM2.8 13.8c.4-3 2.4-4.3 5.2-4.3s4.8 1.3 5.2 4.3',
  ],
  bell: ['M4 11.5c1-1 1-2 1-4a3 3 0 0 1 6 0c0 2 0 3 1 4zM6.8 13.5h2.4'],
  spark: ['M8 2.2l1.5 4.3l4.3 1.5l-4.3 1.5L8 13.8l-1.5-4.3L2.2 8l4.3-1.5z'],
  tool: ['M3 4.5l3.5 3.5L3 11.5M8 12h5'],
  shield: ['M8 2l5 1.8v4c0 3-2.2 5-5 6.2c-2.800-1.200-5-3.200-5-6.200v-4z'],
  rocket: [
    'M6.2 9.8c-.5-3.5 2-6.800 7-7.300c-.2 5-3.500 7.800-7 7.300zM6.200 9.800l-2.700 2.700M5 7.500l-2.500 1.200M8.500 11l-1.200 2.500',
  ],
  grid: ['M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z'],
  clock: ['M8 2.500a5.500 5.500 0 1 1 0 11a5.500 5.500 0 1 1 0-11zM8 5v3.200l2.200 1.500'],
  alarm: ['M8 2.500l6 10.800H2zM8 6.500v3.200M8 11.200v.6'],
  question: [
    'M8 2.500a5.500 5.500 0 1 1 0 11a5.500 5.500 0 1 1 0-11zM6.300 6.500c.1-2.200 3.500-2.100 3.400 0c0 1.200-1.700 1.300-1.700 2.600M8 10.900v.6',
  ],
  comment: ['M2.500 3.500h11v7.500h-6l-3 2.500v-2.500h-2z'],
  flask: [
    'M6 2.500h4M6.800 2.500v4L3.200 13a.4 .4 0 0 0 .4 .500h8.800a.4 .4 0 0 0 .4-.500L9.200 6.500v-4M5 10h6',
  ],
  scales: ['M8 2.500v11M5 13.500h6M3 4.500h10M3 4.500L1.500 9h3zM13 4.500L11.500 9h3z'],
  archive: ['M2.500 3h11v3h-11zM3.500 6v7.500h9V6M6.500 8.500h3'],
  money: [
    'M8 2.500a5.500 5.500 0 1 1 0 11a5.500 5.500 0 1 1 0-11zM9.700 6.200c-.6-1.100-3.200-1-3.200 .400c0 1.700 3.300 .900 3.300 2.700c0 1.500-2.800 1.600-3.500 .300M8 4.500v1M8 10.700v1',
  ],
  gear: [
    'M8 5.800a2.200 2.200 0 1 1 0 4.400a2.200 2.200 0 1 1 0-4.400zM8 2v2M8 12v2M2 8h2M12 8h2M3.800 3.800l1.400 1.400M10.800 10.800l1.400 1.400M12.200 3.800l-1.400 1.400M5.200 10.800l-1.400 1.400',
  ],
  eye: [
    'M1.500 8c1.500-3 3.800-4.500 6.500-4.500s5 1.500 6.500 4.500c-1.500 3-3.800 4.500-6.500 4.500s-5-1.500-6.500-4.500zM8 6a2 2 0 1 1 0 4a2 2 0 1 1 0-4z',
  ],
  pause: ['M5.500 3.500v9M10.500 3.500v9'],
  stepBack: ['M11.500 3.500L6 8l5.500 4.500zM4 3.500v9'],
  stepForward: ['M4.500 3.500L10 8l-5.500 4.500zM12 3.500v9'],
  live: ['M8 5.500a2.500 2.500 0 1 1 0 5a2.500 2.500 0 1 1 0-5z'],
  chart: ['M2.500 2.500v11h11M4.500 10l3-3.500l2 2l3.500-4.500'],
  output: ['M2.500 3h11v10h-11zM4.500 5.500l2 2l-2 2M8 10h3.500'],
  chevron: ['M6 3.5l4.500 4.500L6 12.500'],
  arrowUp: ['M8 13V3.500M4 7.500l4-4l4 4'],
  arrowDown: ['M8 3v9.500M4 8.500l4 4l4-4'],
  close: ['M4 4l8 8M12 4l-8 8'],
} as const;

export type IconName = keyof typeof shapes;

const filled: ReadonlySet<IconName> = new Set([
  'pinned',
  'champion',
  'running',
  'stepBack',
  'stepForward',
  'live',
]);

/**
 * Returns an icon in the text colour. Screen readers skip the icon, because the label of its button
 * or the text next to the icon says the same.
 */
export const icon = (name: IconName): SVGElement =>
  svg(
    'svg',
    {
      class: `icon icon-${name}`,
      viewBox: '0 0 16 16',
      width: 16,
      height: 16,
      'aria-hidden': 'true',
    },
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
