/** Tells what the elements of the arrays of a line may be. */
import type { ShellWord, WordPart } from '../../../shell/shellCommand.ts';
import { isNumeric } from './possibleTexts.ts';
import { joinValues, noValue, type Scope, type Values } from './variables.ts';

/**
 * How the elements of an array are found: by numbers, or by texts as keys. `mixed`: this is not
 * certain, or the shell may know no arrays. A shell calculates the number of an element, and so may
 * run what is in it.
 */
export type Kind = 'numbers' | 'keys' | 'mixed';

/** Returns the kind of an array; `undefined` for other variables. */
export function kindOf(name: string, scope: Scope): Kind | undefined {
  if (!scope.has(`${name}[@]`)) return undefined;
  const kinds = scope.get(`${name}[kind]`) ?? [];
  const [kind, ...others] = kinds === 'unknown' ? [] : kinds;
  const text = kind?.kind === 'text' && others.length === 0 ? kind.text : '';
  return text === 'numbers' || text === 'keys' ? text : 'mixed';
}

interface Elements {
  readonly values: Values;
  readonly keys: Values;
  /** True if earlier elements stay. */
  readonly isMore: boolean;
  readonly kind: Kind;
}

/** Returns the elements of an array that a command has filled, which some shells do not know. */
export const outputElements = (values: Values): Elements => ({
  values,
  keys: [{ kind: 'number' }],
  isMore: false,
  kind: 'mixed',
});

/** Returns the variables with elements of an array. */
export function withElements(scope: Scope, name: string, given: Elements): Scope {
  const { isMore, kind } = given;
  const all = (key: string, values: Values): Values =>
    isMore ? joinValues(scope.get(key) ?? [], values) : values;
  const values = all(`${name}[@]`, given.values);
  return new Map([
    ...scope,
    [name, joinValues(values, noValue)],
    [`${name}[@]`, values],
    [`${name}[!]`, all(`${name}[!]`, given.keys)],
    [`${name}[kind]`, [{ kind: 'text', text: kind }]],
  ]);
}

const sole = ({ parts = [] }: ShellWord): WordPart | undefined => {
  const [part, ...others] = parts.filter((each) => each.kind !== 'text' || each.text !== '');
  return others.length === 0 ? part : undefined;
};

/** Returns the words of `NAME=(…)`; `undefined` for other words. */
export const listOf = ({ parts = [] }: ShellWord): readonly ShellWord[] | undefined => {
  const part = parts.at(-1);
  const isAlone = parts.slice(0, -1).every(({ kind }) => kind === 'text');
  return part?.kind === 'list' && isAlone ? part.words : undefined;
};

/** Returns the values of `"${NAME[@]}"` and `"${!NAME[@]}"`; `undefined` for other words. */
export function elementsOf(word: ShellWord, scope: Scope): Values | undefined {
  const part = sole(word);
  return part?.kind === 'element' && part.index === '@'
    ? scope.get(`${part.name}[${part.isKey ? '!' : '@'}]`)
    : undefined;
}

const plain = /^[^*?[\]{}$`\\~()'"\u0000-\u001f]*$/;

/** Returns the parts of `[KEY]=VALUE`; `undefined` for other words. */
export function pairOf({
  text,
  parts,
}: ShellWord): { readonly key: string; readonly value: string } | undefined {
  const [, key, value] = /^\[([\w./-]+)\]=(.*)$/s.exec(text) ?? [];
  return parts === undefined && key !== undefined && value !== undefined && plain.test(value)
    ? { key, value }
    : undefined;
}

/** Returns the parts of `NAME[KEY]=VALUE`; `undefined` if they are not clear. */
export function elementAssignment(
  word: ShellWord,
): { readonly key: string; readonly value: ShellWord } | undefined {
  const [whole, key] =
    /^[A-Za-z_]\w*\[([\w.-]+|\$\w+|\$\{\w+\}|"\$\w+"|"\$\{\w+\}")\]=/.exec(word.spelled) ?? [];
  if (whole === undefined || key === undefined) return undefined;
  const { parts } = word;
  if (parts === undefined) {
    const text = word.text.slice(whole.length);
    const value = { text, spelled: text, isDynamic: false, isQuoted: word.isQuoted };
    return plain.test(text) ? { key, value } : undefined;
  }
  const end = parts.findIndex((part) => part.kind === 'text' && part.text.startsWith('='));
  const [first] = parts.slice(end);
  if (end < 0 || first?.kind !== 'text') return undefined;
  const rest = [{ kind: 'text' as const, text: first.text.slice(1) }, ...parts.slice(end + 1)];
  const spelled = word.spelled.slice(whole.length);
  return { key, value: { ...word, spelled, parts: rest } };
}

/** Returns the values of a key; `undefined` if the shell might run what is in it. */
export function keysOf(key: string, kind: Kind, scope: Scope): Values | undefined {
  const [, variable] = /^"?\$\{?(\w+)\}?"?$/.exec(key) ?? [];
  const subject = variable ?? (kind !== 'keys' && /^[A-Za-z_]/.test(key) ? key : undefined);
  if (subject === undefined)
    return kind === 'keys' || /^-?\d+$/.test(key) ? [{ kind: 'text', text: key }] : undefined;
  const values = scope.get(subject);
  const isNumber = values !== undefined && values !== 'unknown' && values.every(isNumeric);
  return kind === 'keys' || isNumber ? values : undefined;
}

interface ElementTexts {
  /** Omitted if they are not known, and may be several words. */
  readonly texts: Values | undefined;
  readonly isList: boolean;
}

/** Returns true for a part of a text that a regular expression has matched. */
const isMatch = (name: string, index: string, isKey: boolean): boolean =>
  name === 'BASH_REMATCH' && !isKey && /^\d$/.test(index);

/**
 * Returns what `${NAME[KEY]}` may be; `undefined` if the shell might run what is in the key.
 * `isSole`: nothing else is in the word.
 */
export function elementPart(
  { name, index, isKey }: WordPart & { readonly kind: 'element' },
  scope: Scope,
  isSole: boolean,
): ElementTexts | undefined {
  const kind = kindOf(name, scope);
  if (isMatch(name, index, isKey)) return { texts: 'unknown', isList: false };
  if (kind === undefined) return undefined;
  if (index === '*' || (index === '@' && !isSole)) return { texts: 'unknown', isList: false };
  const values = scope.get(`${name}[${isKey ? '!' : '@'}]`);
  if (index === '@') return { texts: values === 'unknown' ? undefined : values, isList: true };
  if (isKey || values === undefined || keysOf(index, kind, scope) === undefined) return undefined;
  return { texts: joinValues(values, noValue), isList: false };
}
