/** The pieces of an SVG picture. Its colours follow the theme of whoever looks at it; the background is its own. */
import { cleanText, oneLine } from '../base/text.ts';

type Attributes = Readonly<Record<string, string | number>>;

/** Text as XML can carry it: without what no XML may hold. */
export const xmlText = (text: string, maxChars = 80): string =>
  oneLine(cleanText(text), maxChars)
    .toWellFormed()
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `content` is XML already; values of attributes are not. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(textOf(value), 1e7)}"`);
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

export const label = (attributes: Attributes, text: string): string => element('text', attributes, xmlText(text));

/** A tenth of a pixel is more than anybody sees. */
const textOf = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;

/** A line through points that are in pixels already. */
export function pathOf(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${textOf(x)} ${textOf(y)}`).join('');
}

/** Colours of lines: light theme, dark theme. Told apart also by those who see fewer colours, together with their dashes. */
const lineColours: readonly (readonly [light: string, dark: string])[] = [
  ['#0b62c4', '#6cb2ff'],
  ['#c2410c', '#ff9d5c'],
  ['#15803d', '#5fd38a'],
  ['#7e22ce', '#c99bff'],
  ['#0e7490', '#4cc9e6'],
  ['#be185d', '#ff8ac2'],
  ['#854d0e', '#e0b34c'],
  ['#475569', '#a9b8cc'],
];
const dashes: readonly string[] = ['none', '7 3', '2 3', '9 3 2 3'];

/** The classes of the line at a position: its colour and its dashes. */
export const lineClass = (index: number): string =>
  `c${index % lineColours.length} d${Math.floor(index / lineColours.length) % dashes.length}`;

const coloursOf = (theme: 0 | 1): string =>
  lineColours.map((pair, index) => `.c${index}{stroke:${pair[theme]};color:${pair[theme]}}`).join('');

const style = `
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#3b3b3b}
.title{font-size:14px;font-weight:600;fill:#1f1f1f}.back{fill:#ffffff;stroke:#d4d4d4}
.grid{stroke:#e7e7e7}.axis{stroke:#9a9a9a}.goal{stroke:#1f1f1f;stroke-dasharray:6 4}
.line{fill:none;stroke-width:1.4;stroke-linejoin:round}.line.strong{stroke-width:3.2}.dot{fill:currentColor;stroke:none}
.keep{fill:#15803d}.discard{fill:none;stroke:#8a8a8a;stroke-width:1.5}.bad{stroke:#c81e1e;stroke-width:1.8;fill:none}
${coloursOf(0)}${dashes.map((dash, index) => `.line.d${index}{stroke-dasharray:${dash}}`).join('')}
@media (prefers-color-scheme:dark){text{fill:#cccccc}.title{fill:#f0f0f0}.back{fill:#1f1f1f;stroke:#454545}
.grid{stroke:#333333}.axis{stroke:#7a7a7a}.goal{stroke:#f0f0f0}.keep{fill:#5fd38a}.discard{stroke:#9a9a9a}.bad{stroke:#ff7b72}
${coloursOf(1)}}`;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What it shows, for who does not see it. */
  readonly description: string;
}

/** A whole SVG document. */
export function picture({ width, height, title, description }: Picture, content: string): string {
  const spoken = `<title>${xmlText(title, 200)}</title><desc>${xmlText(description, 1_000)}</desc><style>${style}</style>`;
  const back = element('rect', { class: 'back', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 6 });
  const root = { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img' };
  return `${element('svg', root, `${spoken}\n${back}\n${content}\n`)}\n`;
}
