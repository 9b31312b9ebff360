/** The variables of a line, and the words with the values of the variables in them. */
import type { ShellCommand, ShellWord, WordPart } from '../../../shell/shellCommand.ts';
import { isSpecial } from '../../../shell/wordParts.ts';
import { applyOperator } from './expansionOperators.ts';
import { elementPart } from './elements.ts';
import { isNumeric } from './possibleTexts.ts';
import { joinValues, textValue, noValue, type Scope, type Values } from './variables.ts';
import { isOwnName } from './ownNames.ts';

/**
 * Returns the value of an expansion that runs commands; `undefined` if the shell would make several
 * words of it that are not known.
 */
export type ValueOf = (
  part: WordPart & { readonly kind: 'commands' },
  isSplit: boolean,
) => Values | undefined;

export const expandCommand = (
  command: ShellCommand,
  scope: Scope,
  valueOf: ValueOf,
): ShellCommand => {
  const word = (each: ShellWord): ShellWord => expandWord(each, scope, valueOf);
  const { words, redirections, here, sources } = command;
  return {
    ...command,
    words: words.map(word),
    redirections: redirections.map((each) => ({ ...each, target: word(each.target) })),
    ...(here && { here: word(here) }),
    ...(sources && { sources: sources.map((each) => expandCommand(each, scope, () => 'unknown')) }),
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
export function expandWord(word: ShellWord, scope: Scope, valueOf: ValueOf): ShellWord {
  const { parts } = word;
  if (parts === undefined) return word;
  const [first, ...others] = parts;
  if (first?.kind === 'commands' && first.sign === '<(') return others.length === 0 ? pipe : word;
  const isOurs = (part: WordPart): boolean =>
    /^(?:commands|arithmetic|special|alternative|element)$/.test(part.kind) ||
    ('name' in part && valuesIn(scope, part.name) !== undefined);
  if (!parts.some(isOurs)) return word;
  const isList = isSplit(word);
  const isSole = parts.filter((part) => part.kind !== 'text' || part.text !== '').length === 1;
  const all = parts.map((part) => expandPart(part, { scope, valueOf, isList, isSole }));
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
  const [, subject] = /^#(\w+)/.exec(name) ?? [];
  if (subject === undefined) return scope.get(name);
  return scope.has(subject) ? [{ kind: 'number' }] : undefined;
}

interface Circumstances {
  readonly scope: Scope;
  readonly valueOf: ValueOf;
  readonly isList: boolean;
  /** True if the word has no other part. */
  readonly isSole: boolean;
}

function expandPart(part: WordPart, circumstances: Circumstances): WordPart {
  const { scope, valueOf, isList, isSole } = circumstances;
  switch (part.kind) {
    case 'commands':
      return part.sign === '$(' ? partOf(valueOf(part, isList), isList) : { kind: 'other' };
    case 'arithmetic':
      return isCalculated(unlessKnown(part.items, scope), scope, valueOf)
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
    case 'element': {
      const values = elementPart(part, scope, isSole);
      return values === undefined ? { kind: 'other' } : partOf(values.texts, values.isList);
    }
    case 'derived': {
      const values = valuesIn(scope, part.name);
      return values === undefined ? part : partOf(applyOperator(values, part), false);
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
  if (part.operator.endsWith('+')) return partOf(joinValues(text, noValue), false);
  const values = valuesIn(scope, part.name);
  return values === undefined ? part : partOf(joinValues(values, text), false);
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

/** Returns arithmetic without the variable that it sets, unless the line has set it before. */
const unlessKnown = (
  items: readonly (string | WordPart)[],
  scope: Scope,
): readonly (string | WordPart)[] =>
  items.some((item) => typeof item === 'string' && scope.has(item)) ? items : withoutTarget(items);

/** Returns the variables that arithmetic sets. */
export const arithmeticTargets = (items: readonly (string | WordPart)[]): readonly string[] => {
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

/** Returns the values of `NAME+=TEXT`. */
export function appendValues(before: Values, after: Values): Values {
  const [first, ...firsts] = before === 'unknown' ? [] : before;
  const [second, ...seconds] = after === 'unknown' ? [] : after;
  const isOne = firsts.length + seconds.length === 0;
  return isOne && first?.kind === 'text' && second?.kind === 'text'
    ? textValue(first.text + second.text)
    : 'unknown';
}
