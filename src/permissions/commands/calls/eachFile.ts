/** Judges programs that get the names of files: from `find -exec` or through `xargs`. */
import type { ShellCommand, ShellWord, WordPart } from '../../../shell/shellCommand.ts';
import { programOf } from '../../../shell/wrappers.ts';
import { listingOf } from '../files/listings.ts';
import { readArguments, type Arguments } from '../readers/options.ts';
import { pathsOf } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { readerOf } from '../readers/allReaders.ts';
import type { Reader } from '../readers/reader.ts';
import { isNumeric, wordTexts } from '../values/possibleTexts.ts';
import { subcommandOf } from '../readers/subcommands.ts';
import { asks, type Verdict } from '../verdicts/verdict.ts';
import { programReason } from '../verdicts/programReasons.ts';

/**
 * A call of a program that only reads (`reader`), with found files in place of `{}` in its
 * arguments.
 */
export interface EachCall {
  /** Name of the program. */
  readonly name: string;
  readonly reader: Reader;
  readonly rest: readonly ShellWord[];
  /** True if the program is not run without a name, for which it would search the folder. */
  readonly isNamed?: true;
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
const others =
  /^(?:[bx]?zgrep|rg|ag|fd|fdfind|bat|batcat|sqlite3|ncdump|pdftotext|diff|tar|unzip|test|\[)$/;
const printers = /^(?:echo|basename|dirname|ps|kill)$/;

/** Returns true for a program that reads only the files that it is given. */
export function readsOnlyOperands(
  name: string,
  reader: Reader,
  rest: readonly ShellWord[],
): boolean {
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
  if (reader === undefined || !readsOnlyOperands(program?.text ?? '', reader, rest))
    return undefined;
  if (rest.some(mayEndExec)) return undefined;
  const args = rest.flatMap((word) =>
    word.text !== '{}' ? [word] : isList ? [file, file] : [file],
  );
  const call = readArguments(args, reader.options);
  if (typeof call === 'string' || args.some(({ text }) => text.includes('{}'))) return undefined;
  const count = (all: readonly ShellWord[]): number => all.filter((word) => word === file).length;
  const isRead = count(call.operands) === count(args) && !isScriptOf(reader, call);
  return isRead ? { name: program?.text ?? '', reader, rest: args } : undefined;
}

/** Returns true for a word that `find` may read as the end of the command, or as a file. */
const mayEndExec = (word: ShellWord): boolean =>
  word.isDynamic &&
  word.text !== '{}' &&
  (word.parts === undefined
    ? /^[*?[{]/.test(word.text)
    : wordTexts(word)?.every(({ text }) => !/^[;+]|\{\}/.test(text)) !== true);

/** Returns true if the name that was found would be read as a script. */
function isScriptOf({ scriptOptions = [], operands }: Reader, call: Arguments): boolean {
  const hasScript = scriptOptions.some((option) => call.names.has(option));
  return operands === 'script' && !hasScript && call.operands[0] === file;
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
 * Returns the call that `xargs` makes of the names that the commands before it print, or why the
 * call may do more than read.
 */
export function xargsCall(command: ShellCommand, spot: Spot): EachCall | Verdict {
  const { part } = spot;
  const own = ownOptions(command.words);
  const [program, ...rest] = command.words.slice(own?.from ?? command.words.length);
  if (own === undefined || !isFixed(program, own)) return asks('runs another command', part);
  const names = namesFor(command, own, spot);
  const words = withNames(rest, names, own.marker);
  if (words === undefined) return asks('runs another command', part);
  const call = callOf(program.text, words);
  if (call === undefined) return asks(programReason(program.text, false), program.text);
  if (printsAll(program.text, words)) return call;
  if (names.kind !== 'choice') return asks(whyUnknown(command), part);
  if (names.values.every(isNumeric)) return call;
  const isGiven = words.some(({ parts }) => parts?.includes(names));
  if (program.text === 'rg' && own.isSkipped && isGiven) return { ...call, isNamed: true };
  return program.text === 'git' || readsOnlyOperands(program.text, call.reader, rest)
    ? call
    : asks(`${program.text} may read more than the names that xargs gives it`, part);
}

/**
 * Returns the command that `xargs` runs, with all names that it gives as arguments of one call;
 * `undefined` for other programs, and if the names are not known.
 */
export function xargsCommand(command: ShellCommand, spot: Spot): ShellCommand | undefined {
  const own = programOf(command.words[0]) === 'xargs' ? ownOptions(command.words) : undefined;
  const [program, ...rest] = command.words.slice(own?.from ?? command.words.length);
  if (own === undefined || !isFixed(program, own)) return undefined;
  const names = writtenNames(command, own, spot) ?? namesFor(command, own, spot);
  const words = withNames(rest, names, own.marker)?.map(possibleWords);
  if (words?.every((each) => each !== undefined) !== true) return undefined;
  return { ...command, assignments: [], redirections: [], words: [program, ...words.flat()] };
}

/** Returns the names that `xargs` gets from a here-string or an `echo` of the line. */
function writtenNames(
  { here, operator, sources = [], redirections }: ShellCommand,
  { isNull, marker }: XargsOptions,
  spot: Spot,
): WordPart | undefined {
  const [source, ...others] = operator === '|' && here === undefined ? sources : [];
  const echoed = source?.words[0]?.text === 'echo' ? source.words.slice(1) : [];
  const words = here === undefined ? echoed : [here];
  const isRead = redirections.some(({ sign }) => !sign.includes('>'));
  if (isNull || isRead || others.length > 0 || words.length === 0) return undefined;
  const texts = words.map((word) => writtenTexts(word, spot));
  const isKnown = texts.every((each) => each !== undefined);
  const values = texts.flatMap((each = []) =>
    each.map((text) => ({ kind: 'text' as const, text })),
  );
  return isKnown ? { kind: 'choice', values, isList: marker === undefined } : undefined;
}

/** Returns the names that `xargs` makes of a word that it reads; `undefined` if not known. */
function writtenTexts(word: ShellWord, spot: Spot): readonly string[] | undefined {
  const { text, isDynamic, isQuoted } = word;
  if (/['"\\]/.test(text)) return undefined;
  const isPath = isDynamic || (!isQuoted && text.startsWith('~'));
  return isPath ? pathsOf(word, spot) : text.trim().split(/\s+/);
}

/** Returns what a word may be; a folder with all below it as the folder and a file in it. */
function possibleWords(word: ShellWord): readonly ShellWord[] | undefined {
  if (word.parts === undefined) return [word];
  return wordTexts(word)?.flatMap(({ text, isPattern, below }) => {
    const texts = below === undefined ? [text] : [text, below.folder === '' ? '.' : below.folder];
    return texts.map((each) => {
      return { text: each, spelled: each, isDynamic: isPattern, isQuoted: !isPattern };
    });
  });
}

/** Returns false for a program in whose name `xargs` would put a text. */
const isFixed = (
  program: ShellWord | undefined,
  { marker = ' ' }: XargsOptions,
): program is ShellWord => program?.isDynamic === false && !program.text.includes(marker);

/** Returns true for a program that only prints its arguments, whatever they are. */
export const printsAll = (name: string, [format]: readonly ShellWord[]): boolean =>
  /^(?:echo|basename|dirname)$/.test(name) ||
  (name === 'printf' && format?.isDynamic === false && !format.text.startsWith('-'));

function callOf(name: string, rest: readonly ShellWord[]): EachCall | undefined {
  const call = name === 'git' ? subcommandOf(name, rest) : undefined;
  const reader = call?.reader ?? readerOf(name);
  return reader && { name, reader, rest: call?.rest ?? rest };
}

/** Returns what `xargs` reads: a list of names, or a text of which nothing is known. */
function namesFor(command: ShellCommand, { isNull, marker }: XargsOptions, spot: Spot): WordPart {
  const isPiped = command.operator === '|' && !isFed(command);
  const listing = isPiped ? listingOf(command.sources ?? [], spot) : undefined;
  return listing?.isNull === isNull
    ? { kind: 'choice', values: listing.values, isList: marker === undefined }
    : { kind: 'unknown' };
}

const isFed = ({ here, redirections }: ShellCommand): boolean =>
  here !== undefined || redirections.some(({ sign }) => !sign.includes('>'));

function whyUnknown(command: ShellCommand): string {
  if (isFed(command)) return 'runs another command on what a file holds';
  const programs = (command.sources ?? []).flatMap(({ words: [first] }) => first?.text ?? []);
  return `runs another command on what ${programs.join(' | ')} prints`;
}

/** Returns the words with what `xargs` gives at their end, or in place of its marker. */
function withNames(
  rest: readonly ShellWord[],
  names: WordPart,
  marker: string | undefined,
): readonly ShellWord[] | undefined {
  const word = (parts: readonly WordPart[], spelled: string): ShellWord => {
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
    return { text, spelled, isDynamic: true, isQuoted: true, parts };
  };
  if (marker === undefined) return [...rest, word([names], '{}')];
  const isKnown = ({ isDynamic, text, spelled, parts }: ShellWord): boolean =>
    !isDynamic ||
    (parts === undefined && text === spelled && !/[*?[{$`\\]/.test(text.replaceAll(marker, '')));
  if (rest.some((word) => word.spelled.includes(marker) && !isKnown(word))) return undefined;
  return rest.map((each) => {
    const texts = each.text.split(marker);
    const parts = texts.flatMap((text, index): WordPart[] => [
      ...(index > 0 ? [names] : []),
      ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ]);
    return texts.length > 1 ? word(parts, each.spelled) : each;
  });
}

interface XargsOptions {
  readonly isNull: boolean;
  /** True if the program is not run without a name. */
  readonly isSkipped: boolean;
  /** Text in place of which each name is put. */
  readonly marker?: string;
  /** Index of the program. */
  readonly from: number;
}

/** The options of `xargs` with a value, and the values that they may have. */
const xargsValues: Readonly<Record<string, RegExp>> = {
  n: /^\d+$/,
  P: /^\d+$/,
  L: /^\d+$/,
  d: /^(?:\\n|\n)$/,
  I: /^(?:\{\}|[%@_]|[A-Z]{1,8})$/,
};

/** Returns the options of `xargs`; `undefined` if one is not known. */
function ownOptions(words: readonly ShellWord[]): XargsOptions | undefined {
  let [isNull, isSkipped, at] = [false, false, 1];
  let marker: string | undefined;
  for (let word = words[at]; word?.text.startsWith('-') === true; word = words[at]) {
    const option = xargsOption(word, words[at + 1]);
    if (option === undefined) return undefined;
    if (option.name === 'I') marker = option.value;
    isNull ||= option.flags.includes('0');
    isSkipped ||= option.flags.includes('r');
    at += option.length;
  }
  return { isNull, isSkipped, from: at, ...(marker !== undefined && { marker }) };
}

interface XargsOption {
  readonly name: string;
  /** The letters of its options without a value. */
  readonly flags: string;
  readonly value: string;
  /** Number of words. */
  readonly length: number;
}

function xargsOption(
  { text, isDynamic }: ShellWord,
  next: ShellWord | undefined,
): XargsOption | undefined {
  if (isDynamic && !text.includes('{}')) return undefined;
  const short = { '--null': '-0', '--no-run-if-empty': '-r' }[text] ?? text;
  if (/^-[0rt]+$/.test(short)) return { name: '', flags: short, value: '', length: 1 };
  const [, flags = '', name = '', attached = ''] = /^-([0rt]*)([nPLId])(.*)$/s.exec(text) ?? [];
  const value = attached === '' ? (next?.text ?? '') : attached;
  return xargsValues[name]?.test(value) === true
    ? { name, value, flags, length: attached === '' ? 2 : 1 }
    : undefined;
}
