/**
 * Functions that build an SVG image. The background is transparent and the colours are readable on
 * white and on dark backgrounds, since a preview in a dark window may not pass the theme on to
 * images.
 */
import { showHidden } from '../base/hiddenCharacters.ts';
import { cleanText, oneLine } from '../base/text.ts';

type Attributes = Readonly<Record<string, string | number>>;

/** Shortens text to one line and escapes it for XML and HTML. */
export const xmlText = (text: string, maxChars = 80): string =>
  escaped(oneLine(showHidden(cleanText(text)), maxChars));

/**
 * Escapes text for XML and HTML: shows hidden characters as their code points, and removes those
 * that XML does not allow.
 */
export const escaped = (text: string): string =>
  showHidden(cleanText(text))
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

/** Returns an element. `content` is XML; attribute values are escaped. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${xmlText(textOf(value), 1e7)}"`,
  );
  return content === ''
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content}</${name}>`;
}

export const label = (attributes: Attributes, text: string): string =>
  element('text', attributes, xmlText(text));

/** Rounds to a tenth of a pixel. */
const textOf = (value: string | number): string =>
  typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;

/** Returns the path data of a line through points in pixels. */
export function pathOf(points: readonly (readonly [x: number, y: number])[]): string {
  return points
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${textOf(x)} ${textOf(y)}`)
    .join('');
}

/**
 * Line colours: the hues of the metrics panel, in its order. With more lines than colours, lines of
 * the same colour differ in their dashes.
 */
const lineColours: readonly string[] = [
  ...['#2b7de9', '#cf6a1a', '#2a9147', '#9a6cf0', '#e04a42', '#9a7b0a'],
  ...['#178ea5', '#cf4f96', '#658b18', '#b66b35', '#5f6fe8', '#198f58'],
];
const dashes: readonly string[] = ['none', '7 3', '2 3', '9 3 2 3'];

/** Returns the CSS classes of the line of a run, which depend only on its number from 1. */
export function lineClass(number: number): string {
  const index = number - 1;
  return `c${index % lineColours.length} d${Math.floor(index / lineColours.length) % dashes.length}`;
}

const colours = lineColours
  .map((colour, index) => `.c${index}{stroke:${colour};color:${colour}}`)
  .join('');

/** The style sheet in every picture. */
export const pictureStyle = `
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#7d7d7d}.title{font-size:14px;font-weight:600}
.grid{stroke:#808080;stroke-opacity:.25}.axis{stroke:#808080}.goal{stroke:#7d7d7d;stroke-width:1.5;stroke-dasharray:6 4}
.line{fill:none;stroke-width:1.4;stroke-linejoin:round}.line.strong{stroke-width:3.2}.dot{fill:currentColor;stroke:none}
path.band{fill:currentColor;fill-opacity:.16;stroke:none}.keep{fill:#2a9147}.discard{fill:none;stroke:#8a8a8a;stroke-width:1.5}.bad{stroke:#e0483e;stroke-width:1.8;fill:none}
${colours}${dashes.map((dash, index) => `.line.d${index}{stroke-dasharray:${dash}}`).join('')}`;

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Text alternative of the image. */
  readonly description: string;
}

/** Returns a whole SVG document. */
export function picture({ width, height, title, description }: Picture, content: string): string {
  const spoken = `<title>${xmlText(title, 200)}</title><desc>${xmlText(description, 1_000)}</desc><style>${pictureStyle}</style>`;
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
  };
  return `${element('svg', root, `${spoken}\n${content}\n`)}\n`;
}
