/** Judges programs that get the names of files from `find`: by `-exec` or through `xargs`. */
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { programOf } from '../../shell/wrappers.ts';
import { pathsOf } from './operand.ts';
import { readArguments } from './options.ts';
import type { Spot } from './place.ts';
import { readerOf } from './readers.ts';
import type { Reader } from './readers/reader.ts';
import { asks, type Verdict } from './verdict.ts';

/**
 * A call of a program that only reads (`reader`), with found files in place of `{}` in its
 * arguments.
 */
export interface EachCall {
  readonly reader: Reader;
  readonly rest: readonly ShellWord[];
}

/**
 * A placeholder for a file that `find` has found. The name of such a file begins with the folder in
 * which `find` searches, so it can never be taken for an option.
 */
const file: ShellWord = { text: './found', spelled: './found', isDynamic: false, isQuoted: true };

/**
 * Reading programs to which found files may not be passed: they run other programs, search folders
 * by themselves, or give some file names a special meaning.
 */
const others = /^(?:zgrep|rg|fd|diff|tar|unzip|test|\[)$/;
const printers = /^(?:echo|basename|dirname)$/;

function readsNamed(name: string, reader: Reader, rest: readonly ShellWord[]): boolean {
  const isRecursive =
    /grep$/.test(name) &&
    rest.some(({ text }) => /^--recursive$|^-[a-zA-Z]*[rR]|recurs/.test(text));
  return !isRecursive && !others.test(name) && (reader.operands !== 'text' || printers.test(name));
}

/**
 * Returns the call of a program that only reads the files in place of `{}`; `undefined` if the
 * program may do more. `isList`: `{}` stands for several files (`find -exec … +`).
 */
export function eachCall(words: readonly ShellWord[], isList: boolean): EachCall | undefined {
  const [program, ...rest] = words;
  const reader = program?.isDynamic === false ? readerOf(program.text) : undefined;
  if (reader === undefined || !readsNamed(program?.text ?? '', reader, rest)) return undefined;
  const filled = rest.flatMap((word) =>
    word.text !== '{}' ? [word] : isList ? [file, file] : [file],
  );
  const call = readArguments(filled, reader.options);
  if (typeof call === 'string' || filled.some(({ text }) => text.includes('{}'))) return undefined;
  const count = (all: readonly ShellWord[]): number => all.filter((word) => word === file).length;
  const hasScript = reader.scriptOptions?.some((option) => call.names.has(option)) === true;
  const isScript = reader.operands === 'script' && !hasScript && call.operands[0] === file;
  return count(call.operands) === count(filled) && !isScript ? { reader, rest: filled } : undefined;
}

/** Returns the words of the program that `find -exec` runs, and the other words of `find`. */
export function splitExec(rest: readonly ShellWord[]):
  | {
      readonly words: readonly ShellWord[];
      readonly isList: boolean;
      readonly others: readonly ShellWord[];
    }
  | undefined {
  const at = rest.findIndex(({ text }) => text === '-exec');
  if (at < 0) return undefined;
  const length = rest
    .slice(at)
    .findIndex(
      ({ text }, index, all) => text === ';' || (text === '+' && all[index - 1]?.text === '{}'),
    );
  if (length < 0) return undefined;
  return {
    words: rest.slice(at + 1, at + length),
    isList: rest[at + length]?.text === '+',
    others: [...rest.slice(0, at), ...rest.slice(at + length + 1)],
  };
}

/**
 * Returns the call that `xargs` makes of the names that `find` prints, or why the call may do more
 * than read.
 */
export function xargsCall(
  { words, sources = [], operator, redirections }: ShellCommand,
  spot: Spot,
): EachCall | Verdict {
  const { part } = spot;
  if (redirections.some(({ sign }) => !sign.includes('>')))
    return asks('runs another command on what a file holds', part);
  if (operator !== '|' || !sources.every(pipesNamesOnly))
    return asks('runs another command on words of messages', part);
  const [isNull, from] = ownOptions(words);
  const [find, ...filters] = sources;
  const call = from === undefined ? undefined : eachCall([...words.slice(from), brackets], true);
  if (call === undefined || find === undefined || !printsNames(find, isNull))
    return asks('runs another command', part);
  if (isNull) return filters.length === 0 ? call : asks('runs another command', part);
  if (!filters.every(selectsLines)) return asks('runs another command', part);
  const isOdd = rootsOf(find.words.slice(1)).some((root) => hasOddNames(root, spot));
  return isOdd ? asks('runs another command on names that it may read as several', part) : call;
}

/**
 * Returns true if a file name below the folder contains a blank, quote or backslash, which `xargs`
 * interprets; also if the names are not known.
 */
function hasOddNames(root: ShellWord, spot: Spot): boolean {
  const paths = pathsOf(root, spot);
  if (paths === undefined || odd.test(root.text)) return true;
  return paths.some((path) => {
    const real = spot.place.realPath(path);
    const names = real === undefined ? undefined : spot.place.oddFiles(real);
    return names?.some((name) => odd.test(name.slice(real?.length))) !== false;
  });
}

const odd = /[\s'"\\]/;
const brackets: ShellWord = { text: '{}', spelled: '{}', isDynamic: true, isQuoted: false };
const here: ShellWord = { text: '.', spelled: '.', isDynamic: false, isQuoted: false };

/**
 * Returns whether `xargs` expects names that end with NUL, and the index of the program that it
 * runs.
 */
function ownOptions(
  words: readonly ShellWord[],
): readonly [isNull: boolean, from: number | undefined] {
  let [isNull, at] = [false, 1];
  for (let word = words[at]; word?.text.startsWith('-') === true; word = words[at]) {
    const { text, isDynamic } = word;
    if (isDynamic || !/^-(?:0r?|r0?|[nPL]\d*|-null|-no-run-if-empty)$/.test(text))
      return [isNull, undefined];
    isNull ||= /0|null/.test(text) && !/^-[nPL]/.test(text);
    const isNumber = /^-[nPL]$/.test(text);
    if (isNumber && !/^\d+$/.test(words[at + 1]?.text ?? '')) return [isNull, undefined];
    at += isNumber ? 2 : 1;
  }
  return [isNull, at];
}

/** Returns false if the error messages of the command may also be written to its pipe. */
const pipesNamesOnly = ({ operator, redirections }: ShellCommand): boolean =>
  operator !== '|&' && redirections.every(({ sign }) => !sign.includes('&'));

function printsNames({ words, redirections }: ShellCommand, isNull: boolean): boolean {
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  return (
    programOf(words[0]) === 'find' &&
    words[0]?.text === 'find' &&
    redirections.every(({ sign }) => sign.includes('>')) &&
    !has(/^-(?:f?printf|f?ls|fprint0?|exec|execdir|ok|okdir|delete)$/) &&
    has(/^-print0$/) === isNull &&
    !(isNull && has(/^-print$|^-o$|^-or$/))
  );
}

/** Returns true for a filter that only selects or sorts lines, and does not change them. */
function selectsLines({
  words: [program, ...rest],
  redirections,
  assignments,
}: ShellCommand): boolean {
  const text = rest.map((word) => word.text).join(' ');
  const isPlain =
    redirections.length + assignments.length === 0 && rest.every(({ isDynamic }) => !isDynamic);
  if (program === undefined || !isPlain) return false;
  if (/^(?:head|tail)$/.test(program.text)) return /^(?:-\d+|-n ?\d+)?$/.test(text);
  if (program.text === 'sort') return /^(?:-[rnhVfu]+ ?)*$/.test(text);
  if (program.text === 'grep')
    return (
      rest.length >= 1 &&
      rest.slice(0, -1).every((word) => /^-[viEF]+$/.test(word.text)) &&
      !rest.at(-1)?.text.startsWith('-')
    );
  return program.text === 'uniq' && rest.length === 0;
}

/** Returns the folders in which `find` searches. */
export function rootsOf(rest: readonly ShellWord[]): readonly ShellWord[] {
  const words = rest.filter(({ text }) => text !== '-P');
  const end = words.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  return roots.length === 0 ? [here] : roots;
}
