/** Computes what `${NAME##PATTERN}`, `${NAME:0:3}` and the like make of the values of a variable. */
import { posix } from 'node:path';
import type { PossibleText } from '../../../shell/shellCommand.ts';
import type { Values } from './variables.ts';

/** Returns what is left of the values of `${NAME%PATTERN}` and the like. */
export function applyOperator(
  values: Values,
  { operator, pattern }: { readonly operator: string; readonly pattern: string },
): Values {
  if (values === 'unknown') return values;
  if (!/^[#%]/.test(operator)) return changeValues(values, operator, pattern);
  if (values.every(({ kind }) => kind === 'below')) return cutPaths(values, operator + pattern);
  const source = pattern.replace(/[.]/g, '\\.').replace(/\*/g, '[^]*').replace(/\?/g, '[^]');
  const whole = new RegExp(`^${source}$`);
  const remainders: PossibleText[] = [];
  for (const value of values) {
    if (value.kind !== 'text') return 'unknown';
    remainders.push({ kind: 'text', text: without(value.text, operator, whole) });
  }
  return remainders;
}

/** Returns the values with a part replaced, or only a part of them. */
function changeValues(values: readonly PossibleText[], operator: string, pattern: string): Values {
  const all = values.map((value) =>
    value.kind === 'text' && /^[ -~]*$/.test(value.text)
      ? changeText(value.text, operator, pattern)
      : undefined,
  );
  const texts = all.filter((text) => text !== undefined);
  return texts.length < all.length ? 'unknown' : texts.map((text) => ({ kind: 'text', text }));
}

function changeText(text: string, operator: string, pattern: string): string | undefined {
  switch (operator) {
    case '^^':
      return text.toUpperCase();
    case ',,':
      return text.toLowerCase();
    case ':': {
      const [from = 0, count] = pattern.split(':').map(Number);
      const start = from < 0 ? text.length + from : from;
      if (start < 0) return '';
      return count === undefined
        ? text.slice(start)
        : text.slice(start, count < 0 ? Math.max(start, text.length + count) : start + count);
    }
    case '/':
    case '//': {
      const [before = '', after = ''] = pattern.split('/');
      if (/[*?]/.test(before)) return undefined;
      return operator === '/' ? text.replace(before, () => after) : text.split(before).join(after);
    }
    default:
      return undefined;
  }
}

function cutPaths(values: readonly PossibleText[], cut: string): Values {
  const paths = values.filter((value) => value.kind === 'below');
  if (cut === '##*/') return namesIn(paths);
  return cut === '%/*' ? foldersOf(paths) : 'unknown';
}

type BelowText = PossibleText & { readonly kind: 'below' };

/** Returns the last parts of paths, as files of the current folder. */
export const namesIn = (paths: readonly BelowText[]): Values =>
  paths.every(({ folder }) => !/(?:^|\/)(?:\.\.)?\/*$/.test(folder) || folder === '')
    ? [{ kind: 'below', folder: '', mayBeOption: true }]
    : 'unknown';

/** Returns the folders of paths. A path may be that of the folder itself, which is then cut, too. */
export const foldersOf = (paths: readonly BelowText[]): Values =>
  paths.some(({ folder }) => !/^[\w.-]+(?:\/[\w.-]+)*$/.test(folder))
    ? 'unknown'
    : paths.flatMap(({ folder, mayBeOption }): readonly PossibleText[] => [
        { kind: 'below', folder, ...(mayBeOption && { mayBeOption }) },
        { kind: 'text', text: posix.dirname(folder) },
        { kind: 'text', text: folder },
      ]);

function without(text: string, operator: string, pattern: RegExp): string {
  const lengths = Array.from({ length: text.length + 1 }, (_none, index) => index);
  const candidates = operator.length === 2 ? lengths.toReversed() : lengths;
  const isStart = operator.startsWith('#');
  const cut = candidates.find((length) =>
    pattern.test(isStart ? text.slice(0, length) : text.slice(text.length - length)),
  );
  if (cut === undefined) return text;
  return isStart ? text.slice(cut) : text.slice(0, text.length - cut);
}
