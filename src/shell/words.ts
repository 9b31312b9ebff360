/** Converts parts of the tree to words, with quotes resolved. */
import { childrenOf, gapBetween, looseChildren, written, type Place } from './children.ts';
import { must } from './notUnderstood.ts';
import type { ShellWord, WordPart } from './shellCommand.ts';

/** Types of the syntax nodes that are expansions. */
export const expansion =
  /^(?:(?:simple_)?expansion|command_substitution|process_substitution|arithmetic_expansion|array)$/;

/**
 * Called for each expansion in a word: reads the commands in the expansion, and returns the
 * corresponding part of the word.
 */
export type TakeExpansion = (place: Place, isQuoted: boolean) => WordPart;

/** Joins adjacent parts to one word. */
export function wordOf(parts: readonly Place[], take: TakeExpansion): ShellWord {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && operators.has(first.type))
    return operator(first.type);
  const read = parts.map((part) => partOf(part, take));
  // A shell reads an unquoted `#` as the start of a comment.
  must(first === undefined || first.source[first.start] !== '#');
  const word = joined(read);
  return { ...word, isDynamic: word.isDynamic || hasBraces(parts) };
}

/**
 * Returns true if the word contains a brace list. Neither a single `{` at the end of a word nor
 * `@{0}`, as git has it, is a list.
 */
const hasBraces = (parts: readonly Place[]): boolean => {
  const bare = parts
    .flatMap(bareParts)
    .join('')
    .replace(/@\{-?\w+\}/g, '_');
  return /\{(?!$)/.test(bare);
};

const bareParts = (place: Place): readonly string[] => {
  if (place.type === 'concatenation' || place.type === 'command_name')
    return looseChildren(place).flatMap(bareParts);
  return place.type === 'word' || place.type === '{' || place.type === 'brace_expression'
    ? [written(place).replace(/\\[^]/g, '_')]
    : ['_'];
};

/** Operators of `[` and `[[`. */
const operators = new Set(['[', '[[', ']', ']]', '&&', '||', '(', ')', '<', '>']);

const operator = (text: string): ShellWord => ({
  text,
  spelled: text,
  isDynamic: false,
  isQuoted: false,
});

function joined(words: readonly ShellWord[]): ShellWord {
  const word = {
    text: words.map(({ text }) => text).join(''),
    spelled: words.map(({ spelled }) => spelled).join(''),
    isDynamic: words.some(({ isDynamic }) => isDynamic),
    isQuoted: words.some(({ isQuoted }) => isQuoted),
    ...(words.some(({ isSplit }) => isSplit) && { isSplit: true as const }),
  };
  const hasParts = words.some(({ parts }) => parts !== undefined);
  return hasParts ? { ...word, parts: words.flatMap(partsOf) } : word;
}

const partsOf = ({ text, spelled, isDynamic, parts }: ShellWord): readonly WordPart[] => {
  if (parts !== undefined) return parts;
  if (!isDynamic) return [{ kind: 'text', text }];
  return text === spelled ? [{ kind: 'pattern', text }] : [{ kind: 'other' }];
};

const made = /^(?:concatenation|command_name|variable_assignment|subscript)$/;
const pattern = /^(?:brace_expression|regex|extglob_pattern)$/;

function partOf(place: Place, take: TakeExpansion, isInQuotes = false): ShellWord {
  const { type } = place;
  if (type === 'string') return doubleQuoted(place, take);
  if (type === 'raw_string') return quoted(written(place).slice(1, -1));
  if (type === 'ansi_c_string') return ansiQuoted(written(place));
  if (expansion.test(type)) {
    const part = take(place, isInQuotes);
    const spelled = written(place);
    const word = { text: '', spelled, isDynamic: true, isQuoted: false, parts: [part] };
    const isOne = part.kind === 'arithmetic' || type === 'process_substitution';
    return isInQuotes || isOne ? word : { ...word, isSplit: true };
  }
  if (pattern.test(type)) return patternOf(place);
  if (made.test(type) && place.node.childCount > 0) return joinedParts(place, take);
  must(place.node.childCount === 0);
  return bare(place);
}

function joinedParts(place: Place, take: TakeExpansion): ShellWord {
  const children = childrenOf(place);
  children.forEach((child, index) => {
    const next = children[index + 1];
    must(next === undefined || gapBetween(child, next) === 'joined');
  });
  return joined(children.map((child) => partOf(child, take)));
}

const quoted = (text: string): ShellWord => ({
  text,
  spelled: text,
  isDynamic: false,
  isQuoted: true,
});

const escapes: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  e: '\u001b',
  x1b: '\u001b',
  '033': '\u001b',
  '\\': '\\',
};

/** Reads `$'…'`. Its escapes can stand for any character, of which only some are read. */
function ansiQuoted(spelled: string): ShellWord {
  let isKnown = true;
  const text = spelled.slice(2, -1).replace(/\\(x1b|033|.)/gs, (all, name: string) => {
    isKnown &&= Object.hasOwn(escapes, name);
    return escapes[name] ?? all;
  });
  return { text, spelled, isDynamic: !isKnown, isQuoted: true };
}

/** Matches text that a shell never reads as part of an unquoted word. */
const notBare = /[\s;&|()<>'"`]|\$[\w{('"@*#?!$-]/;

function bare(place: Place): ShellWord {
  const text = written(place);
  const plain = text.replace(/\\[^]/g, '_');
  must(!notBare.test(plain));
  // The grammar may have ended the part at the dollar sign although the expansion continues.
  must(!plain.endsWith('$') || !/[\w{('"@*#?!$-]/.test(place.source[place.end] ?? ' '));
  const plainText = unescaped(text);
  return {
    text: plainText,
    spelled: plainText,
    isDynamic: /[*?[]/.test(plain),
    isQuoted: text.includes('\\'),
  };
}

const unescaped = (text: string): string =>
  text.replace(/\\([^])/g, (_whole, character: string) => (character === '\n' ? '' : character));

function patternOf(place: Place): ShellWord {
  const text = written(place);
  must(!hidesExpansion(text));
  return { text, spelled: text, isDynamic: true, isQuoted: false };
}

/** Returns true if a shell would expand something that the grammar read as plain text. */
export const hidesExpansion = (text: string): boolean =>
  /\$[({[]|[`]|[<>]\(/.test(text.replace(/\\[^]/g, '_'));

/**
 * Reads a string in double quotes. The grammar often drops spaces before an expansion, so the text
 * between the expansions is read from the source.
 */
function doubleQuoted(place: Place, take: TakeExpansion): ShellWord {
  const parts: ShellWord[] = [];
  const { source } = place;
  let from = place.start + 1;
  const literal = (until: number): void => {
    const text = source.slice(from, until);
    must(!/["`]|\$[\w{(@*#?!$-]/.test(text.replace(/\\[^]/g, '_')));
    parts.push(
      quoted(text.replace(/\\(["\\$`\n])/g, (_whole, next: string) => (next === '\n' ? '' : next))),
    );
  };
  must(source[place.start] === '"' && source[place.end - 1] === '"');
  for (const child of looseChildren(place)) {
    if (!expansion.test(child.type)) continue;
    const start = child.start + (/^\s*/.exec(written(child))?.[0].length ?? 0);
    literal(start);
    parts.push(partOf({ ...child, start }, take, true));
    from = child.end;
  }
  literal(place.end - 1);
  return { ...joined(parts), isQuoted: true };
}

/** Returns the words of a command. Throws if a line ends between two parts. */
export function wordsOf(parts: readonly Place[], take: TakeExpansion): readonly ShellWord[] {
  const groups: Place[][] = [];
  for (const part of parts) {
    const before = groups.at(-1)?.at(-1);
    const gap = before === undefined ? 'apart' : gapBetween(before, part);
    if (gap === 'joined') groups.at(-1)?.push(part);
    else groups.push([part]);
  }
  return groups.map((group) => wordOf(group, take));
}
