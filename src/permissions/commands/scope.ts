/** The variables of a line, and the words with the values of the variables in them. */
import { posix } from 'node:path';
import type { PossibleText, ShellCommand, ShellWord, WordPart } from '../../shell/shellCommand.ts';
import { isSpecial } from '../../shell/wordParts.ts';
import { isNumeric } from './possibleTexts.ts';

/** Possible values of a variable; `unknown`: a text of which nothing is known. */
export type Values = readonly PossibleText[] | 'unknown';
export type Scope = ReadonlyMap<string, Values>;

/** Maximum number of values of a variable. */
const maxValues = 200;

export const textValue = (text: string): Values => [{ kind: 'text', text }];

/** Returns the variables after a part of the line that may not have run, or one of several. */
export function joinedScopes(a: Scope, b: Scope): Scope {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map(
    [...names].map((name) => [name, joinedValues(a.get(name) ?? unset, b.get(name) ?? unset)]),
  );
}

/** Value of a variable that is not set. */
export const unset = textValue('');

export function joinedValues(a: Values, b: Values): Values {
  if (a === 'unknown' || b === 'unknown') return 'unknown';
  const all = new Map([...a, ...b].map((value) => [JSON.stringify(value), value]));
  return all.size <= maxValues ? [...all.values()] : 'unknown';
}

export const isSameScope = (a: Scope, b: Scope): boolean =>
  a.size === b.size &&
  [...a].every(([name, values]) => JSON.stringify(values) === JSON.stringify(b.get(name)));

/** Names that shells or programs read, in lowercase. */
const specialNames =
  /proxy|config|^(?:path|fpath|cdpath|manpath|mailpath|argv|status|prompt|histchars|auto_resume)$/;
/** Names in capitals that no shell or program reads. */
const ownCapitals = new RegExp(
  '^(?:[A-Z]|RUNS?|LOGS?|LOGFILE|DIR|OUT|FILES?|NAME|EXP|STEPS?|SEEDS?|BEST|LAST|LATEST|TOTAL|COUNT|BASE|DATA|' +
    'CKPT|CFG|METRICS|JOB|JOBID|(?:RUN|LOG|EXP|OUT|DATA|CKPT)_(?:DIR|FILE|ID|NAME|PATH))$',
);

export const isOwnName = (name: string): boolean =>
  (/^[a-z][a-z0-9_]{0,30}$/.test(name) && !specialNames.test(name)) || ownCapitals.test(name);

export const isOwnWord = ({ text, isDynamic, isQuoted }: ShellWord): boolean =>
  !isDynamic && !isQuoted && isOwnName(text);

/**
 * Returns the value of an expansion that runs commands; `undefined` if the shell would make several
 * words of it that are not known.
 */
export type ValueOf = (
  part: WordPart & { readonly kind: 'commands' },
  isSplit: boolean,
) => Values | undefined;

export const resolved = (command: ShellCommand, scope: Scope, valueOf: ValueOf): ShellCommand => {
  const word = (each: ShellWord): ShellWord => resolvedWord(each, scope, valueOf);
  const { words, redirections, here, sources } = command;
  return {
    ...command,
    words: words.map(word),
    redirections: redirections.map((each) => ({ ...each, target: word(each.target) })),
    ...(here && { here: word(here) }),
    ...(sources && { sources: sources.map((each) => resolved(each, scope, () => 'unknown')) }),
  };
};

/** A file that every command may read, in place of the pipe of `<(…)`. */
const pipe: ShellWord = {
  text: '/dev/stdin',
  spelled: '/dev/stdin',
  isDynamic: false,
  isQuoted: true,
};

/** Returns the word with the values of its variables in it, as far as they are known. */
export function resolvedWord(word: ShellWord, scope: Scope, valueOf: ValueOf): ShellWord {
  const { parts } = word;
  if (parts === undefined) return word;
  const [first, ...others] = parts;
  if (first?.kind === 'commands' && first.sign === '<(') return others.length === 0 ? pipe : word;
  const isOurs = (part: WordPart): boolean =>
    /^(?:commands|arithmetic|special|alternative)$/.test(part.kind) ||
    ('name' in part && valuesIn(scope, part.name) !== undefined);
  if (!parts.some(isOurs)) return word;
  const isList = isSplit(word);
  const all = parts.map((part) => resolvedPart(part, { scope, valueOf, isList }));
  const isFixed = all.every(({ kind }) => kind === 'text' || kind === 'pattern');
  const text = all.map((part) => ('text' in part ? part.text : '')).join('');
  if (!isFixed) return { ...word, text, parts: all };
  // The shell does not expand a `~` that is quoted, as it is when the line runs.
  if (text.startsWith('~')) return { ...word, parts: [{ kind: 'other' }] };
  return {
    text,
    spelled: text,
    isDynamic: all.some(({ kind }) => kind === 'pattern'),
    isQuoted: true,
  };
}

/** Returns true for an unquoted `$(…)`, of which the shell makes several words. */
export const isSplit = ({ parts = [], isQuoted }: ShellWord): boolean =>
  parts.length === 1 && !isQuoted && parts[0]?.kind === 'commands' && parts[0].sign === '$(';

/** Returns the values of `$NAME` or `${#NAME}`; `undefined` if the line does not set the variable. */
function valuesIn(scope: Scope, name: string): Values | undefined {
  const [, measured] = /^#(\w+)/.exec(name) ?? [];
  if (measured === undefined) return scope.get(name);
  return scope.has(measured) ? [{ kind: 'number' }] : undefined;
}

interface Circumstances {
  readonly scope: Scope;
  readonly valueOf: ValueOf;
  readonly isList: boolean;
}

function resolvedPart(part: WordPart, { scope, valueOf, isList }: Circumstances): WordPart {
  switch (part.kind) {
    case 'commands':
      return part.sign === '$(' ? partOf(valueOf(part, isList), isList) : { kind: 'other' };
    case 'arithmetic':
      return isCalculated(part.items, scope, valueOf)
        ? { kind: 'choice', values: [{ kind: 'number' }], isList: false }
        : { kind: 'other' };
    case 'variable': {
      const values = valuesIn(scope, part.name);
      return values === undefined ? part : partOf(values, false);
    }
    case 'special':
      return { kind: 'choice', values: [{ kind: 'number' }], isList: false };
    case 'alternative':
      return alternative(part, scope);
    case 'derived': {
      const values = valuesIn(scope, part.name);
      return values === undefined ? part : partOf(derived(values, part), false);
    }
    default:
      return part;
  }
}

function partOf(values: Values | undefined, isList: boolean): WordPart {
  if (values === undefined) return { kind: 'other' };
  if (values === 'unknown') return { kind: 'unknown' };
  const [value, ...others] = values;
  if (value === undefined) return { kind: 'unknown' };
  return value.kind === 'text' && others.length === 0 && !isList
    ? { kind: 'text', text: value.text }
    : { kind: 'choice', values, isList };
}

/** Returns the values of `${NAME:-TEXT}` and `${NAME:+TEXT}`. The latter shows no value of NAME. */
function alternative(part: WordPart & { kind: 'alternative' }, scope: Scope): WordPart {
  const text = textValue(part.text);
  if (part.operator.endsWith('+')) return partOf(joinedValues(text, unset), false);
  const values = valuesIn(scope, part.name);
  return values === undefined ? part : partOf(joinedValues(values, text), false);
}

/** Returns what is left of the values of `${NAME%PATTERN}` and the like. */
function derived(
  values: Values,
  { operator, pattern }: { readonly operator: string; readonly pattern: string },
): Values {
  if (values === 'unknown') return values;
  if (!/^[#%]/.test(operator)) return changed(values, operator, pattern);
  if (values.every(({ kind }) => kind === 'below')) return cutPaths(values, operator + pattern);
  const source = pattern.replace(/[.]/g, '\\.').replace(/\*/g, '[^]*').replace(/\?/g, '[^]');
  const whole = new RegExp(`^${source}$`);
  const left: PossibleText[] = [];
  for (const value of values) {
    if (value.kind !== 'text') return 'unknown';
    left.push({ kind: 'text', text: without(value.text, operator, whole) });
  }
  return left;
}

/** Returns the values with a part replaced, or only a part of them. */
function changed(values: readonly PossibleText[], operator: string, pattern: string): Values {
  const all = values.map((value) =>
    value.kind === 'text' && /^[ -~]*$/.test(value.text)
      ? changedText(value.text, operator, pattern)
      : undefined,
  );
  const texts = all.filter((text) => text !== undefined);
  return texts.length < all.length ? 'unknown' : texts.map((text) => ({ kind: 'text', text }));
}

function changedText(text: string, operator: string, pattern: string): string | undefined {
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
  const ordered = operator.length === 2 ? lengths.toReversed() : lengths;
  const isStart = operator.startsWith('#');
  const cut = ordered.find((length) =>
    pattern.test(isStart ? text.slice(0, length) : text.slice(text.length - length)),
  );
  if (cut === undefined) return text;
  return isStart ? text.slice(cut) : text.slice(0, text.length - cut);
}

/**
 * Returns true if arithmetic calculates only with numbers. A shell would also run what is in another
 * value.
 */
export function isCalculated(
  items: readonly (string | WordPart)[],
  scope: Scope,
  valueOf: ValueOf,
): boolean {
  const areNumbers = (values: Values | undefined): boolean =>
    values !== undefined && values !== 'unknown' && values.every(isNumeric);
  return items.every((item) => {
    if (typeof item !== 'string') {
      if (item.kind === 'special') return true;
      if (item.kind === 'variable') return areNumbers(valuesIn(scope, item.name));
      return item.kind === 'commands' && item.sign === '$(' && areNumbers(valueOf(item, false));
    }
    if (/^[A-Za-z_]\w*$/.test(item)) return isSpecial(item) || areNumbers(scope.get(item));
    return /^(?:\d+|[\s+\-*/%()<>=!&|?:~^,]*)$/.test(item);
  });
}

/** Returns arithmetic without the variable that it sets, which needs no number before. */
export function withoutTarget(
  items: readonly (string | WordPart)[],
): readonly (string | WordPart)[] {
  const all = items.filter((item) => typeof item !== 'string' || item.trim() !== '');
  const [name, sign, ...others] = all;
  return typeof name === 'string' && isOwnName(name) && sign === '=' ? others : items;
}

/** Returns the variables that arithmetic sets. */
export const setByArithmetic = (items: readonly (string | WordPart)[]): readonly string[] => {
  const isSet = items.some(
    (item) => item === '++' || item === '--' || /^[^=!<>]*=$/.test(String(item)),
  );
  return isSet
    ? items.filter((item) => typeof item === 'string' && isOwnName(item)).map(String)
    : [];
};

/** Returns the parts of the value of `NAME=VALUE`. */
export function valueParts({ spelled, parts = [] }: ShellWord): readonly WordPart[] {
  let left = spelled.indexOf('=') + 1;
  return parts.map((part) => {
    if (part.kind !== 'text' || left === 0) return part;
    const text = part.text.slice(left);
    left -= Math.min(left, part.text.length);
    return { ...part, text };
  });
}
