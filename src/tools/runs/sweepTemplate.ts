/**
 * Templates for commands. `{name}` is a placeholder, and `{{name}}` stands for the text `{name}`. A
 * brace after a `$`, or around anything but one plain name, is ordinary text (`${HOME}`, `{a,b}`,
 * `{}`, `{"k": 1}`, `{ print }`). Each value becomes one shell word, even if its placeholder is
 * inside quotes.
 */
import { ToolFailure } from '../../base/errors.ts';
import { shellQuote } from '../../base/text.ts';
import type { ParamValue } from '../../runs/sweep.ts';

type Quotes = '' | "'" | '"';

interface Place {
  readonly name: string;
  /** The quotes around the placeholder; empty if it is not quoted. */
  readonly quotes: Quotes;
}

/** A parsed template: text and placeholders, alternating. */
export type Template = readonly (string | Place)[];

const braces = /(?<!\$)\{\{([A-Za-z_]\w*)\}\}|(?<!\$)\{([A-Za-z_]\w*)\}/g;

export function parseTemplate(text: string): Template {
  const parts: (string | Place)[] = [];
  let quotes: Quotes = '';
  let from = 0;
  for (const match of text.matchAll(braces)) {
    const [whole, literal, name] = match;
    const before = text.slice(from, match.index);
    quotes = quotesAfter(before, quotes);
    parts.push(before, name === undefined ? `{${literal}}` : { name, quotes });
    from = match.index + whole.length;
  }
  return [...parts, text.slice(from)];
}

/** Returns the names of the placeholders without duplicates, in order. */
export const placesOf = (template: Template): string[] => [
  ...new Set(template.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))),
];

export const fill = (template: Template, params: Readonly<Record<string, ParamValue>>): string =>
  template
    .map((part) => (typeof part === 'string' ? part : word(params[part.name] ?? '', part.quotes)))
    .join('');

/** Throws `ToolFailure` if a placeholder has no value, or if a parameter has no placeholder. */
export function checkPlaces(template: Template, names: readonly string[]): void {
  const places = placesOf(template);
  const empty = places.filter((name) => !names.includes(name));
  const unused = names.filter((name) => !places.includes(name));
  const known = `Parameters: ${names.join(', ') || 'none'}.`;
  if (empty.length > 0)
    throw new ToolFailure(
      `The command has {${empty.join('}, {')}} without a value. ${known} To get the text {${empty[0]}}, write {{${empty[0]}}}. Nothing was started.`,
    );
  if (unused.length > 0)
    throw new ToolFailure(
      `The command does not use ${unused.join(', ')}: write {${unused[0]}} where its value belongs, such as --${unused[0]} {${unused[0]}}. Nothing was started.`,
    );
}

function word(value: ParamValue, quotes: Quotes): string {
  const text = String(value);
  if (quotes === "'") return text.replaceAll("'", `'\\''`);
  if (quotes === '"') return text.replace(/["$`\\]/g, '\\$&');
  return typeof value === 'string' ? shellQuote(text) : text;
}

/**
 * Returns which quotes are open after `text`, as a shell would read it; `before` are the quotes
 * that are open at the start of `text`.
 */
function quotesAfter(text: string, before: Quotes): Quotes {
  let quotes = before;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\' && quotes !== "'") index += 1;
    else if (char === quotes) quotes = '';
    else if (quotes === '' && (char === "'" || char === '"')) quotes = char;
    else if (quotes === '' && char === '#' && isCommentStart(text, index))
      index = endOfLine(text, index);
  }
  return quotes;
}

const isCommentStart = (text: string, index: number): boolean =>
  index === 0 || /[\s;&|()]/.test(text[index - 1] ?? '');

const endOfLine = (text: string, index: number): number => {
  const end = text.indexOf('\n', index);
  return end === -1 ? text.length : end;
};
