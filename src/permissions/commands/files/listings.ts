/** Finds what commands print that list files, numbers or commits. */
import { posix } from 'node:path';
import type {
  PossibleText,
  ShellCommand,
  ShellLayout,
  ShellWord,
} from '../../../shell/shellCommand.ts';
import { isHarmlessVariable } from '../values/harmlessVariables.ts';
import { findRoots } from './findRoots.ts';
import { loopValues, type LoopPlace } from './loopValues.ts';
import { pathsOf } from '../paths/operand.ts';
import { readArguments } from '../readers/options.ts';
import { somePlace } from './somePlace.ts';
import type { CommandPlace } from '../paths/place.ts';
import { wordTexts, hasChoice, isNumber } from '../values/possibleTexts.ts';
import { readerOf } from '../readers/allReaders.ts';
import { pipelineOf } from '../../../shell/pipelines.ts';

/** The lines that commands print, each of which is one of several texts. */
export interface Listing {
  readonly values: readonly PossibleText[];
  /** True if a NUL ends each text, in place of a line end. */
  readonly isNull: boolean;
}

type MaybeListing = Listing | undefined;
type Producer = (words: readonly ShellWord[], at: LoopPlace) => MaybeListing;

/**
 * Returns what a pipeline prints; `undefined` if it is not known, or if a shell or `xargs` may read
 * one text as several or as a pattern.
 */
export function listingOf(pipeline: readonly ShellCommand[], at: LoopPlace): MaybeListing {
  const [first, ...filters] = pipeline;
  const last = pipeline.at(-1);
  if (first === undefined || last === undefined || !isPipeline(pipeline)) return undefined;
  if (counts(last, filters.length > 0)) return numbers;
  const listing = printsOnlyNames(first) ? programListing(first, at) : undefined;
  const isChosen = filters.every(selectsLines) && !(listing?.isNull === true && filters.length > 0);
  return isChosen && listing !== undefined && isKnown(listing, at) ? listing : undefined;
}

function programListing({ words: [program, ...rest] }: ShellCommand, at: LoopPlace): MaybeListing {
  const name = program?.text ?? '';
  return Object.hasOwn(producers, name) ? producers[name]?.(rest, at) : undefined;
}

const isKnown = ({ values, isNull }: Listing, at: LoopPlace): boolean =>
  values.length > 0 && (isNull || values.every((value) => isPlain(value, at)));

/**
 * Returns true for commands of which a shell makes several words if `$(…)` is not quoted: all of
 * them for which `listingOf` may know what they print.
 */
export function listsNames(layout: ShellLayout): boolean {
  const commands = pipelineOf(layout) ?? [];
  const some = commands.map((command) => ({ ...command, words: command.words.map(withSome) }));
  return listingOf(some, { place: somePlace, folders: ['/'] }) !== undefined;
}

/** Returns the word with some text in place of its expansions. */
const withSome = (word: ShellWord): ShellWord => {
  const { parts } = word;
  if (parts === undefined) return word;
  const text = parts.map((part) => ('text' in part ? part.text : 'x')).join('');
  const isDynamic = parts.some(({ kind }) => kind === 'pattern');
  return { text, spelled: text, isDynamic, isQuoted: !isDynamic };
};

const lines = (values: readonly PossibleText[]): Listing => ({ values, isNull: false });
const texts = (all: readonly string[]): Listing =>
  lines([...new Set(all)].map((text) => ({ kind: 'text', text })));

const textsOf = (all: readonly string[] | undefined): MaybeListing => all && texts(all);

const isPipeline = (commands: readonly ShellCommand[]): boolean =>
  commands.every(
    ({ operator, assignments }, index) =>
      (operator === '|') === index > 0 && assignments.every(isHarmlessVariable),
  );

/** Returns false if error messages or the text of a file may get into the pipe. */
const printsOnlyNames = ({ redirections, here }: ShellCommand): boolean =>
  here === undefined && redirections.every(({ sign }) => sign.includes('>') && !sign.includes('&'));

const odd = /[\s'"\\*?[]/;

/** Returns false if there may be a name that is read as several, as a pattern, or otherwise. */
function isPlain(value: PossibleText, { place, folders }: LoopPlace): boolean {
  if (value.kind === 'text') return !odd.test(value.text) && !/[~$`{}]/.test(value.text);
  if (value.kind !== 'below') return true;
  // Names in other commits may have blanks, and so be read as several.
  if (value.mayBeOption === true) return false;
  const folder = value.folder === '' ? '.' : value.folder;
  const word = { text: folder, spelled: folder, isDynamic: false, isQuoted: true };
  const paths = pathsOf(word, { place, folders, part: '' });
  if (paths === undefined || odd.test(folder)) return false;
  return paths.every((path) => hasNone(odd, path, place));
}

/** Returns true if no path below a folder matches. Paths that are not odd are not checked. */
function hasNone(pattern: RegExp, folder: string, place: CommandPlace): boolean {
  const real = place.realPath(folder);
  const names = real === undefined ? undefined : place.oddFiles(real);
  return names?.every((name) => !pattern.test(name.slice(real?.length))) === true;
}

/** Returns true for a command that prints a single number. */
function counts({ words, redirections, here }: ShellCommand, isPiped: boolean): boolean {
  const [program, ...rest] = words;
  const isFed = isPiped || here !== undefined || redirections.some(({ sign }) => sign === '<');
  if (!redirections.every(({ sign }) => sign === '<' || sign === '2>')) return false;
  const text = rest.map(({ spelled }) => spelled).join(' ');
  switch (program?.text) {
    case 'wc':
      return isFed && /^-[lcwm]$/.test(text);
    case 'nproc':
      return text === '';
    case 'date':
      return /^(?:-u )?\+%[sYjUuHMSmd]$/.test(text);
    case 'stat':
      return /^-c %[sYXZ] [^*?{[]+$/.test(text) && rest.length === 3;
    default:
      return program?.text === 'grep' && grepCounts(rest);
  }
}

/** Returns true for `grep -c` on at most one file. */
function grepCounts(rest: readonly ShellWord[]): boolean {
  const call = readArguments(rest, readerOf('grep')?.options ?? '');
  if (typeof call === 'string') return false;
  const has = (...names: readonly string[]): boolean => names.some((name) => call.names.has(name));
  const files = call.operands.slice(has('-e', '-f', '--regexp', '--file') ? 0 : 1);
  const isOne = files.length <= 1 && files.every((word) => !word.isDynamic || isSingle(word));
  return isOne && has('-c', '--count') && !has('-r', '-R', '--recursive', '-H', '-l', '-L', '-d');
}

const isSingle = (word: ShellWord): boolean =>
  hasChoice(word) && wordTexts(word)?.every(({ text }) => !/[*?]/.test(text)) === true;

const options = String.raw`(?:-[rnhVfug]+|-t ?\S|-k ?[\d.,rnhVg]+)`;
/** The arguments with which filters only choose and sort lines. */
const filterArguments: Readonly<Record<string, RegExp>> = {
  head: /^(?:-\d+|-n ?[-+]?\d+)?$/,
  tail: /^(?:-\d+|-n ?[-+]?\d+)?$/,
  sort: new RegExp(`^(?:${options}(?: ${options})*)?$`),
  shuf: /^(?:-n ?\d+)?$/,
  sed: /^-n \d+(?:,\d+)?p$/,
  uniq: /^$/,
  tac: /^$/,
};

/** Returns true for a filter that only chooses and sorts lines. */
function selectsLines({ words, redirections, assignments, here }: ShellCommand): boolean {
  const [program, ...rest] = words;
  const isOnly = redirections.length === 0 && assignments.every(isHarmlessVariable);
  if (program === undefined || !isOnly || here !== undefined) return false;
  if (rest.some(({ isDynamic }) => isDynamic)) return false;
  const texts = rest.map((word) => word.text);
  if (/^e?grep$/.test(program.text)) {
    const isOption = (text: string): boolean => /^(?:-[viEFwx]+|-e)$/.test(text);
    return texts.slice(0, -1).every(isOption) && texts.at(-1)?.startsWith('-') === false;
  }
  const known = Object.hasOwn(filterArguments, program.text) && filterArguments[program.text];
  return known instanceof RegExp && known.test(texts.join(' '));
}

const below = (folder: string, glob?: string): PossibleText => ({
  kind: 'below',
  folder,
  ...(glob !== undefined && { glob }),
});

const isLiteral = ({ isDynamic, text }: ShellWord): boolean =>
  !isDynamic && !text.startsWith('~') && text !== '';

/** Returns the folders that a search names, as folders of which it prints the files. */
function searchListing(roots: readonly ShellWord[], at: LoopPlace, glob?: string): MaybeListing {
  const all = roots.map((root) => (isLiteral(root) ? [root.text] : loopValues(root, at)));
  if (all.includes(undefined) || all.flat().some((text) => text === '' || text?.startsWith('-')))
    return undefined;
  return lines(all.flatMap((each) => (each ?? []).map((folder) => below(folder, glob))));
}

/** Returns the files below the current folder, printed without a folder in front. */
function belowHere({ place, folders }: LoopPlace, glob?: string): MaybeListing {
  const dashNames = folders.map((folder) => place.matches(posix.join(folder, '-*')));
  return dashNames.every((each) => each?.length === 0) ? lines([below('', glob)]) : undefined;
}

const find: Producer = (words, at) => {
  const rest = words.filter(({ text }) => text !== '-P');
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  if (has(/^-(?:f?printf|f?ls|fprint0?|exec|execdir|ok|okdir|delete|L|H|follow)$/))
    return undefined;
  const isNull = has(/^-print0$/);
  if (isNull && has(/^-print$|^-o$|^-or$|^,$/)) return undefined;
  const listing = searchListing(findRoots(rest), at, nameOfFind(rest));
  return listing && { ...listing, isNull };
};

/** Returns the pattern that all files match that `find` prints; `undefined` if there may be others. */
export function nameOfFind(rest: readonly ShellWord[]): string | undefined {
  if (rest.some(({ text }) => /^(?:-o|-or|,|[()])$/.test(text))) return undefined;
  const at = rest.findIndex(
    ({ text }, index) => text === '-name' && !/^(?:!|-not)$/.test(rest[index - 1]?.text ?? ''),
  );
  return at < 0 ? undefined : rest[at + 1]?.text;
}

const ls: Producer = (words, at) => {
  const call = readArguments(words, '1 t r S d X U u c v --sort= --reverse --directory');
  if (typeof call === 'string') return undefined;
  const { operands, names } = call;
  const namesIn = (pattern: string): readonly string[] | undefined => {
    const found = at.folders.map((each) => at.place.matches(posix.resolve(each, pattern)));
    return found.includes(undefined) || found.length === 0
      ? undefined
      : found.flatMap((each) => each ?? []).map((path) => posix.basename(path));
  };
  if (operands.length === 0) return textsOf(names.has('-d') ? ['.'] : namesIn('*'));
  const isNamed = names.has('-d') || names.has('--directory');
  const all: string[] = [];
  const folders: PossibleText[] = [];
  for (const operand of operands) {
    const named = matchesOf(operand, at);
    if (named === undefined) {
      const folder = matchFolder(operand, isNamed, at);
      if (folder === undefined) return undefined;
      folders.push(below(folder));
      continue;
    }
    all.push(...named);
    if (isNamed) continue;
    for (const name of named) {
      const inside = namesIn(`${name.replace(/[^/]$/, '$&/')}*`);
      if (inside === undefined) return undefined;
      // `ls` prints the name of each of several folders, with a colon.
      if (inside.length > 0 && (operands.length > 1 || named.length > 1)) all.push(`${name}:`);
      all.push(...inside);
    }
  }
  return all.length <= 200 ? lines([...texts(all).values, ...folders]) : undefined;
};

/** Returns the names that a word stands for; `undefined` if they are not known, or none yet. */
function matchesOf(word: ShellWord, at: LoopPlace): readonly string[] | undefined {
  const names = loopValues(word, at);
  return names?.some((text) => /[*?]/.test(text)) === true ? undefined : names;
}

/**
 * Returns the folder below which are all names that `ls` prints for a pattern with too many matches,
 * or with none yet. `undefined` if a match may be a folder, of whose files it prints the names alone.
 */
function matchFolder(
  { text, spelled, isDynamic, parts }: ShellWord,
  isNamed: boolean,
  { place, folders }: LoopPlace,
): string | undefined {
  const [, folder] = /^(\w[\w.-]*)\/(?:[\w*?-][\w.*?-]*\/)*[\w*?-][\w.*?-]*$/.exec(text) ?? [];
  if (!isDynamic || parts !== undefined || text !== spelled || text.includes('..'))
    return undefined;
  const inside = folders.map((each) => place.matches(posix.resolve(each, `${text}/*`)));
  return isNamed || inside.every((found) => found?.length === 0) ? folder : undefined;
}

const search =
  (name: 'grep' | 'rg'): Producer =>
  (words, at) => {
    const call = readArguments(words, readerOf(name)?.options ?? '');
    if (typeof call === 'string') return undefined;
    const { operands, names, values } = call;
    const has = (...all: readonly string[]): boolean => all.some((each) => names.has(each));
    if (has('-Z', '-z', '-0', '--null', '-c', '--count', '-o', '--json')) return undefined;
    const isListing = has('-l', '-L', '--files-with-matches', '--files-without-match', '--files');
    if (!isListing) return undefined;
    const files = operands.slice(has('-e', '-f', '--regexp', '--file', '--files') ? 0 : 1);
    const globs = ['--include', '-g', '--glob'].flatMap((each) => values.get(each) ?? []);
    const glob = globs.length === 1 && /^[^!/]+$/.test(globs[0] ?? '') ? globs[0] : undefined;
    const isDeep = name === 'rg' || has('-r', '-R', '--recursive');
    if (isDeep) return files.length === 0 ? belowHere(at, glob) : searchListing(files, at, glob);
    const named = files.map((word) => loopValues(word, at));
    return named.includes(undefined) ? undefined : texts(named.flatMap((each) => each ?? []));
  };

const printf: Producer = ([format, ...words], at) => {
  if (format?.text !== String.raw`%s\n` || format.isDynamic) return undefined;
  const named = words.map((word) => loopValues(word, at));
  return named.includes(undefined) ? undefined : texts(named.flatMap((each) => each ?? []));
};

const numbers = lines([{ kind: 'number' }]);
const hashes = lines([{ kind: 'hash' }]);
const revision = /^[\w.][\w./~^@{}-]*$/;

/** Matches the options with which `git log` prints more than the format. */
const printsMore =
  /(?:^| )(?:-[pucmL]|--(?:patch|stat|numstat|shortstat|name|raw|graph|summary|dirstat|cc))/;

/** Returns what `git log` prints with a format of one field. */
function logListing(text: string): MaybeListing {
  const [, field = ''] =
    /(?:^| )--(?:format|pretty)=(?:format:)?%([hH]|[ac]t)(?: |$)/.exec(text) ?? [];
  if (field === '' || printsMore.test(text)) return undefined;
  return field.endsWith('t') ? numbers : hashes;
}

const git: Producer = ([subcommand, ...rest], at) => {
  const text = rest.map((word) => word.text).join(' ');
  if (subcommand?.isDynamic !== false) return undefined;
  if (subcommand.text === 'ls-files') return gitFiles(rest, at);
  if (subcommand.text === 'diff' && rest.some((word) => word.text === '--name-only'))
    return rest.some((word) => word.text === '-z') ? undefined : gitDiff(rest, at);
  const isPlainCall = rest.every((word) => !word.isDynamic);
  if (!isPlainCall) return undefined;
  if (subcommand.text === 'log') return logListing(text);
  if (subcommand.text === 'rev-list')
    return rest.every((word) =>
      /^(?:-n|-?\d+|--(?:max-count=\d+|all|reverse|no-merges|first-parent)|[\w.][\w./~^-]*)$/.test(
        word.text,
      ),
    )
      ? hashes
      : undefined;
  // A name that is no commit is printed as it is.
  const names = rest.filter((word) => !/^--(?:short|verify)(?:=\d+)?$/.test(word.text));
  if (
    !names.every((word) => revision.test(word.text)) ||
    !/^(?:rev-parse|merge-base)$/.test(subcommand.text)
  )
    return undefined;
  const all = names.map((word): PossibleText => ({ kind: 'text', text: word.text }));
  return lines([...hashes.values, ...all]);
};

const diffFiles = lines([{ kind: 'below', folder: '', mayBeOption: true }]);

/** Returns the files that `git diff --name-only` prints. Without a commit, git tracks all of them. */
function gitDiff(rest: readonly ShellWord[], at: LoopPlace): Listing {
  const [, mark = { text: '--' }] = rest.filter(({ text }) => !text.startsWith('--diff-filter='));
  const isTracked =
    rest[0]?.text === '--name-only' &&
    mark.text === '--' &&
    at.folders.every((folder) => isRepository(folder, at));
  return (isTracked ? belowHere(at) : undefined) ?? diffFiles;
}

/** Returns true for the folder of a repository in which no tracked path begins with a dash. */
const isRepository = (folder: string, { place }: LoopPlace): boolean =>
  place.exists(posix.join(folder, '.git')) === true && hasNone(/^\/-/, folder, place);

function gitFiles(rest: readonly ShellWord[], at: LoopPlace): MaybeListing {
  const call = readArguments(
    rest,
    'z m o c --modified --others --cached --exclude-standard --directory',
  );
  if (typeof call === 'string') return undefined;
  const patterns = call.operands.map(({ text }) => text);
  const [only, ...others] = patterns;
  const isGlob = only !== undefined && others.length === 0 && /^\*\.\w+$/.test(only);
  if (!patterns.every((text) => /^[\w.*?/-]+$/.test(text) && !text.includes('..')))
    return undefined;
  // Git also lists files that were removed.
  const isDashed = !at.folders.every((folder) => hasNone(/^\/-/, folder, at.place));
  const listing = isDashed ? undefined : belowHere(at, isGlob ? only : undefined);
  return listing && { ...listing, isNull: call.names.has('-z') };
}

const producers: Readonly<Record<string, Producer>> = {
  find,
  ls,
  grep: search('grep'),
  egrep: search('grep'),
  rg: search('rg'),
  printf: printf,
  git,
  // With a format or a separator, any text.
  seq: (words) =>
    words.every((word) => isNumber(word) || /^(?:-w|-?\d*\.?\d+)$/.test(word.spelled))
      ? numbers
      : undefined,
  pgrep: (words) =>
    words.every(({ text }) => !/^-[a-zA-Z]*[lacd]|^--/.test(text)) ? numbers : undefined,
  squeue: (words) =>
    /(?:^| )(?:-o ?|--format=)%[Ai](?: |$)/.test(words.map(({ text }) => text).join(' ')) &&
    words.some(({ text }) => /^(?:-h|--noheader|-ho)$/.test(text))
      ? lines([{ kind: 'hash' }])
      : undefined,
};
