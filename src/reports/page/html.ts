/**
 * Builds HTML. Text becomes HTML only through `escaped`: a function here takes text or `Html`, and
 * only the functions of this file and whole pictures make `Html`.
 */
import { escaped, xmlText } from '../svg.ts';

/** HTML that is safe to show. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string;

type Attributes = Readonly<Record<string, string | number | undefined>>;

/**
 * Returns an element. Texts in `content` are escaped; attributes that are undefined are omitted.
 * `name` and the names of attributes are literals of our own, and no value is an address.
 */
export function tag(name: string, attributes: Attributes, ...content: readonly Content[]): Html {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escaped(String(value))}"`,
  );
  return new Html(`<${name}${written.join('')}>${htmlOf(content)}</${name}>`);
}

/** Joins texts and HTML. */
export const joined = (content: readonly Content[], separator = ''): Html =>
  new Html(content.map((each) => htmlOf([each])).join(separator));

/** Shortens text to one line. */
export const short = (text: string, maxChars: number): Html => new Html(xmlText(text, maxChars));

export const nothing = new Html('');

const htmlOf = (content: readonly Content[]): string =>
  content.map((each) => (typeof each === 'string' ? escaped(each) : each.text)).join('');

/** Returns a table. `isNumber`: which columns hold numbers. `label`: its name for a screen reader. */
export function table(
  label: string,
  head: readonly Content[],
  rows: readonly Html[],
  isNumber: readonly boolean[] = [],
): Html {
  const heads = head.map((text, index) =>
    tag('th', { scope: 'col', class: isNumber[index] ? 'number' : undefined }, text),
  );
  // A wide table scrolls by itself, so it must take the focus for the arrow keys.
  return tag(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    tag(
      'table',
      {},
      tag('thead', {}, tag('tr', {}, ...heads)),
      tag('tbody', {}, joined(rows, '\n')),
    ),
  );
}

/** Returns the part of a page with a heading, to which `#id` leads. */
export const section = (id: string, title: string, ...content: readonly Content[]): Html =>
  tag(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    tag('h2', { id: `${id}-title` }, title),
    ...content,
  );
