/**
 * The filter of the table: words, and comparisons such as
 * `lr<=0.001 val_loss<1 status:ok tag:good note:"longer warmup"`.
 */
import type { Item } from './items.ts';

interface Comparison {
  readonly name: string;
  readonly operator: '<' | '<=' | '>' | '>=' | '=' | '!=' | ':';
  readonly value: string;
}

export interface Filter {
  readonly words: readonly string[];
  readonly comparisons: readonly Comparison[];
}

/** Reads a filter. Quoted values may contain blanks: `label:"cosine schedule"`. */
export function readFilter(text: string): Filter {
  const words: string[] = [];
  const comparisons: Comparison[] = [];
  for (const [part] of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const found = /^([^\s<>=!:"]+)(<=|>=|!=|<|>|=|:)(.*)$/s.exec(part);
    const [, name = '', operator, value = ''] = found ?? [];
    if (operator === undefined) words.push(unquoted(part).toLowerCase());
    else if (value !== '')
      comparisons.push({
        name: name.toLowerCase(),
        operator: operator as Comparison['operator'],
        value: unquoted(value).toLowerCase(),
      });
  }
  return { words, comparisons };
}

const unquoted = (text: string): string => text.replaceAll('"', '');

/**
 * Whether the item contains every word and meets every comparison. A comparison with a field that
 * the item lacks is not met.
 */
export function matches(item: Item, { words, comparisons }: Filter): boolean {
  return comparisons.every((one) => isMet(item, one)) && hasWords(item, words);
}

function hasWords(item: Item, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { name, label, machine, status, tags = [], note = '' } = item;
  const text = [name, label, machine, status, ...tags, note].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Returns the names in comparisons that are fields of none of the items. */
export const unknownNames = (items: readonly Item[], { comparisons }: Filter): readonly string[] =>
  comparisons
    .map(({ name }) => name)
    .filter((name) => items.every((item) => fieldOf(item, name) === undefined));

function isMet(item: Item, { name, operator, value }: Comparison): boolean {
  const field = fieldOf(item, name);
  if (field === undefined) return false;
  const isMetBy = (text: string): boolean => compare(text.toLowerCase(), operator, value);
  if (typeof field === 'string') return isMetBy(field);
  return operator === '!=' ? field.every(isMetBy) : field.some(isMetBy);
}

function compare(field: string, operator: Comparison['operator'], value: string): boolean {
  if (operator === ':') return field.includes(value);
  const [left, right] = [numberIn(field), numberIn(value)];
  const isText = Number.isNaN(left) || Number.isNaN(right);
  if (operator === '=') return isText ? field === value : left === right;
  if (operator === '!=') return isText ? field !== value : left !== right;
  if (isText) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

/** Returns the number at the start of a text such as `0.83 ± 0.02`; NaN if there is none. */
export function numberIn(text: string): number {
  const [first = ''] = text.trim().split(' ± ');
  if (first === '') return Number.NaN;
  if (/^-?inf$/i.test(first)) return first.startsWith('-') ? -Infinity : Infinity;
  return Number(first);
}

type Field = string | readonly string[] | undefined;

const fixed: Readonly<Record<string, (item: Item) => Field>> = {
  run: ({ name }) => name,
  label: ({ label }) => label,
  machine: ({ machine }) => machine,
  status: ({ status }) => status,
  seed: ({ seed }) => seed,
  code: ({ code }) => code,
  session: ({ session }) => session,
};

const words: Readonly<Record<string, (item: Item) => Field>> = {
  tag: ({ tags = [] }) => tags,
  note: ({ note = '' }) => note,
};

/**
 * Returns the field with this name in lower case: the user's words, a parameter, the last value of a
 * metric, or one of `fixed`. A run may have several tags.
 */
function fieldOf(item: Item, name: string): Field {
  return (
    words[name]?.(item) ??
    ofName(item.parameters, name) ??
    ofName(item.metrics, name)?.last ??
    fixed[name]?.(item)
  );
}

/** Describes the language of the filter, with names of parameters and metrics. */
export const filterHint = (names: readonly string[]): string =>
  [
    'Words, and comparisons with < <= > >= = != and : (contains), such as',
    'lr<=0.001 val_loss<1 status:ok tag:good note:"longer warmup"',
    `Names: ${[...Object.keys(words), ...Object.keys(fixed), ...names].join(', ')}`,
  ].join('\n');

function ofName<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  if (Object.hasOwn(record, name)) return record[name];
  for (const key in record) if (key.toLowerCase() === name) return record[key];
  return undefined;
}
