/**
 * A mutant is one fault put into one source file. The aimed ones are found by their text, the drawn
 * ones by the syntax.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mutant {
  readonly id: string;
  readonly part: string;
  /** Relative to the repository, as are the keys of `Sources`. */
  readonly file: string;
  /** Offsets of the text that is replaced. */
  readonly start: number;
  readonly end: number;
  readonly replace: string;
}

export interface Aimed {
  readonly id: string;
  readonly part: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The text of each file of `src`. */
export type Sources = ReadonlyMap<string, string>;

export function readSources(root: string): Sources {
  const files = globSync('src/**/*.{ts,sh}', { cwd: root }).toSorted();
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Reads blocks of `@@ id part file`, lines of `-` and lines of `+`. */
export function parseAimed(text: string): readonly Aimed[] {
  return text
    .split(/^(?=@@ )/m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.split('\n');
      const [, id = '', part = '', file = ''] = head.split(' ');
      const textOf = (sign: string): string =>
        lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join('\n');
      return { id, part, file, find: textOf('-'), replace: textOf('+') };
    });
}

/**
 * Finds the text in its file or, where it has moved, in the only other file that has it. Otherwise:
 * what is wrong. How lines are divided makes no difference.
 */
export function place(aimed: Aimed, sources: Sources): Mutant | string {
  const { id, part, file, replace } = aimed;
  const pattern = patternOf(aimed.find);
  const own = placesIn(file, sources.get(file) ?? '', pattern);
  const places =
    own.length > 0 ? own : [...sources].flatMap(([other, text]) => placesIn(other, text, pattern));
  const [found] = places;
  if (found === undefined) return 'its text stands nowhere';
  if (places.length > 1) return `its text stands ${places.length} times`;
  return { id, part, ...found, replace };
}

/** Matches a text with any white space between its words and signs, and commas behind last items. */
function patternOf(text: string): RegExp {
  const tokens = text.replaceAll(/,(?=\s*[)\]}])/g, '').match(/\w+|[^\w\s]/gu) ?? [];
  const parts = tokens.map((token, index) => {
    const before = tokens[index - 1];
    if (before === undefined) return escaped(token);
    if (/^\w/.test(before) && /^\w/.test(token)) return `\\s+${token}`;
    return `${/[)\]}]/.test(token) ? '\\s*,?' : ''}\\s*${escaped(token)}`;
  });
  return new RegExp(parts.join(''), 'gu');
}

const escaped = (token: string): string =>
  token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

const placesIn = (
  file: string,
  text: string,
  pattern: RegExp,
): readonly Pick<Mutant, 'file' | 'start' | 'end'>[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    file,
    start: index,
    end: index + found.length,
  }));

export const mutated = (
  text: string,
  { start, end, replace }: Pick<Mutant, 'start' | 'end' | 'replace'>,
): string => text.slice(0, start) + replace + text.slice(end);

/** The lines that a mutant changes, the first being 1. */
export function linesOf(
  text: string,
  { start, end }: Pick<Mutant, 'start' | 'end'>,
): { first: number; last: number } {
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const indent = /^\s*/.exec(text.slice(start, end))?.[0].length ?? 0;
  return { first: lineAt(Math.min(start + indent, end)), last: lineAt(end) };
}

/** The change in one line, for people; of a small one, what stands around it. */
export function changeOf(text: string, { start, end, replace }: Mutant): string {
  const around = end - start < 8 ? 30 : 0;
  const before = text.slice(Math.max(text.lastIndexOf('\n', start - 1) + 1, start - around), start);
  const after = text.slice(end, end + around).split('\n', 1)[0] ?? '';
  const short = (some: string): string => {
    const words = some.replaceAll(/\s+/g, ' ').trim();
    return words.length > 90 ? `${words.slice(0, 89)}…` : words;
  };
  return [text.slice(start, end), replace]
    .map((some) => short(before + some + after) || 'nothing')
    .join(' → ');
}

export const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
