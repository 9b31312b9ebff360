/** Recognizes commands that read whole folders, and so also keys that the command does not name. */
import { posix } from 'node:path';
import { matchesGlob } from '../../../base/glob.ts';
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { foundCommand, programOf } from '../../../shell/wrappers.ts';
import { pathNote } from '../../pathRules.ts';
import { judgeRead, pathsOf } from '../paths/operand.ts';
import { nameOfFind } from './listings.ts';
import type { Spot } from '../paths/place.ts';
import type { Below } from '../values/possibleTexts.ts';
import { asks, asksEach, denies, safe, strictest, type Verdict } from '../verdicts/verdict.ts';

const greps = /^(?:[ef]?grep|[bx]?zgrep)$/;
const searchers = /^(?:rg|ag|ack)$/;
/** Programs that copy or link; all of their operands but the last are sources. */
const copiers = /^(?:cp|scp|mv|rsync|ln|rclone)$/;
const packers = /^(?:zip|7z|7za|bsdtar|tar|diff|gsutil)$/;
/** Programs that give another program access to folders, by mounting them. */
const mounters = /^(?:docker|podman|apptainer|singularity|bwrap)$/;
/** Programs that never print the content of their files. */
const silent =
  /^(?:wc|ls|stat|du|file|rm|rmdir|mv|touch|chmod|chown|mkdir|ln|test|basename|dirname|realpath|readlink|md5sum|sha\d+sum|cksum)$/;
/**
 * Options with which `grep` prints only names or counts, also in a cluster of options without a
 * value.
 */
const silentGrep =
  /^-[rRinwxHhIsoEFGPUzaTZ]*[lLcq][rRinwxHhIsoEFGPUzaTZlLcq]*$|^--(?:files-with\S+|count|quiet)$/;
const silentSearch =
  /^-[inwxHhIsoFPzau]*[lcq][inwxHhIsoFPzaulcq]*$|^--(?:files\S*|count\S*|quiet)$/;
/** Programs that read files whose names another program passes to them. */
const nameReaders = /^(?:xargs|parallel|cpio|tar|rsync)$/;

/**
 * Denies a command that reads every file of a folder that contains keys. Asks if it is not known
 * whether the folder contains keys. Otherwise returns `safe`.
 */
export function readsTree(name: string, command: ShellCommand, spot: Spot): Verdict {
  const leavesHidden = searchers.test(name) && !readsHidden(command.words);
  const verdicts = treesOf(name, command)
    .flatMap(({ at, ...tree }) =>
      (at === 'here' ? spot.folders : (pathsOf(at, spot) ?? literalPaths(at, spot))).map(
        (path) => ({
          ...tree,
          folder: spot.place.realPath(path) ?? path,
        }),
      ),
    )
    .flatMap((tree) => [
      treeVerdict(tree.folder, spot, leavesHidden),
      filesVerdict(tree, spot, leavesHidden),
      linksVerdict(tree, spot),
    ]);
  return strictest(verdicts);
}

function treeVerdict(folder: string, { place, part }: Spot, leavesHidden: boolean): Verdict {
  const keys = place.rules
    .keysBelow(folder, place.home)
    .filter((path) => !leavesHidden || !isHidden(path, folder));
  const key = keys.find((path) => place.exists(path) === true);
  if (key !== undefined) return denies(`reads a whole folder with keys in it (${key})`, part);
  const [unknown] = keys.filter((path) => place.exists(path) === undefined);
  return unknown === undefined
    ? safe
    : asksEach(
        'reads a whole folder that may hold keys',
        part,
        `${folder} may hold keys (${unknown}), and each use of the whole folder needs an approval`,
      );
}

const isHidden = (path: string, folder: string): boolean =>
  path.slice(folder.length).includes('/.');

/**
 * Denies a command that would print a private key at any depth below the folder. Asks if the
 * command would print a file whose name suggests secrets, or if the files are not known.
 */
function filesVerdict(
  { folder, prints }: { readonly folder: string; readonly prints?: Prints | undefined },
  { place, part }: Spot,
  leavesHidden: boolean,
): Verdict {
  if (prints === undefined) return safe;
  const files = place.keyFiles(folder);
  if (files === undefined)
    return asks('reads a whole folder of which it is not known whether it holds keys', part);
  const printed = files.filter(
    (path) => prints(path.slice(folder.length)) && !(leavesHidden && isHidden(path, folder)),
  );
  return strictest(printed.map((path) => printVerdict(path, { place, part })));
}

/** Judges the links below the folder that the command follows, as if the command named them. */
function linksVerdict(
  { folder, follows }: Pick<Tree, 'follows'> & { readonly folder: string },
  spot: Spot,
): Verdict {
  if (follows === undefined) return safe;
  const links = spot.place.oddFiles(folder);
  if (links === undefined)
    return asks('reads a whole folder of which the links are not known', spot.part);
  const words = links
    .filter((path) => follows(path.slice(folder.length)))
    .map((path) => ({ text: path, spelled: path, isDynamic: false, isQuoted: true }));
  return strictest(words.map((word) => judgeRead(word, spot)));
}

/** Returns the verdict on reading any file below a folder. */
export function belowVerdict({ folder, glob }: Below, isPrinted: boolean, spot: Spot): Verdict {
  const text = folder === '' ? '.' : folder;
  const paths = pathsOf({ text, spelled: text, isDynamic: false, isQuoted: true }, spot);
  const matches: Prints =
    glob === undefined ? () => true : (path) => mayMatch(posix.basename(path), glob);
  const verdicts = (paths ?? []).flatMap((path) => {
    const real = spot.place.realPath(path) ?? path;
    return [
      treeVerdict(real, spot, false),
      filesVerdict({ folder: real, prints: isPrinted ? matches : undefined }, spot, false),
      linksVerdict({ folder: real, follows: matches }, spot),
    ];
  });
  if (paths === undefined) return asks('reads an unclear path', spot.part);
  const verdict = strictest(verdicts);
  // A program that lists the current folder may leave out the file that is refused.
  return folder === '' && verdict.kind === 'deny' ? asks(verdict.reason, verdict.part) : verdict;
}

/** Returns true if a program prints nothing of the content of its files. */
export function isSilent(name: string, rest: readonly ShellWord[]): boolean {
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  if (name === 'git')
    return (
      /^(?:log|rev-list|ls-files|shortlog)$/.test(rest[0]?.text ?? '') &&
      !has(/^-[a-zA-Z]*[puUL]|^--(?:patch|unified|word-diff|function)/)
    );
  return (
    silent.test(name) ||
    (greps.test(name) && has(silentGrep)) ||
    (name === 'rg' && has(silentSearch))
  );
}

function printVerdict(path: string, { place, part }: Pick<Spot, 'place' | 'part'>): Verdict {
  const { rules } = place;
  if (rules.isKey(path) || /\.(?:pem|key)$/i.test(path))
    return denies(
      `prints a private key among the files of a folder (${path}: leave it out, such as with --exclude)`,
      part,
    );
  const use = rules.useOf(path, 'read', 'commands');
  const reason = `prints a file that may hold secrets (${path}: leave it out, such as with --exclude)`;
  if (use !== undefined) return asksEach(reason, part, pathNote(use));
  return rules.isPrivate(path) ? asks(reason, part) : safe;
}

/**
 * Returns true if the command prints the file with this path, which is relative to the folder that
 * the command reads.
 */
type Prints = (path: string) => boolean;

interface Tree {
  readonly at: ShellWord | 'here';
  /** Selects the files that the command prints. Omitted for a command that copies or packs them. */
  readonly prints?: Prints | undefined;
  /** Selects the links that the command follows. Omitted for a command that follows no links. */
  readonly follows?: Prints | undefined;
}

/**
 * Returns the paths that a word names if each `..` removes the folder name before it. Used where
 * `pathsOf` returns `undefined`. The paths may be wrong if that folder is a link.
 */
const literalPaths = ({ spelled }: ShellWord, { place, folders }: Spot): readonly string[] =>
  folders.map((folder) =>
    posix.resolve(folder, spelled.replace(/^(?:~|\$HOME)(?=\/)/, place.home)),
  );

/**
 * Returns the folders of which the command may read every file. May also return operands that are
 * no folders.
 */
function treesOf(name: string, { words, sources = [] }: ShellCommand): readonly Tree[] {
  const rest = words.slice(1);
  const isReader = nameReaders.test(name) || rest.some(({ isDynamic }) => isDynamic);
  const reader = name === 'xargs' ? rest.find(({ text }) => !text.startsWith('-')) : words[0];
  const listings = isReader ? sources.flatMap((source) => listingTrees(source, reader)) : [];
  return [...listings, ...ownTrees(name, words)];
}

function ownTrees(name: string, words: readonly ShellWord[]): readonly Tree[] {
  const rest = words.slice(1);
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  const operands = rest.filter(({ text }) => !text.startsWith('-'));
  const at = (word: ShellWord): Tree => ({ at: word });
  if (name === 'find')
    return has(/^-(?:exec|ok)/) ? listingTrees({ words }, foundCommand({ words })[0]) : [];
  if (searches(name, has)) return searchTrees(name, rest);
  if (mounters.test(name)) return operands.map(beforeColon).map(at);
  if (name === 'diff' && packs(name, rest)) {
    const prints = has(/^-[a-z]*q|^--brief$/) ? undefined : (): boolean => true;
    return operands.map((word) => ({ at: word, prints, follows: () => true }));
  }
  if (packers.test(name)) return packs(name, rest) ? operands.map(at) : [];
  const copies = copiers.test(name) && (!/^s?cp$/.test(name) || has(recursive));
  return copies ? operands.slice(0, Math.max(1, operands.length - 1)).map(at) : [];
}

const recursive = /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)/;

const searches = (name: string, has: (pattern: RegExp) => boolean): boolean =>
  searchers.test(name) ||
  (greps.test(name) && has(/^-[a-zA-Z]*[rR]|recurs/)) ||
  (name === 'git' && has(/^--(?:no-index|untracked)$/));

/** Options of searches whose value is the next word. */
const valueOptions =
  /^-[a-zA-Z]*[ABCmefgtT]$|^--(?:after-context|before-context|context|max-count|regexp|file|glob|iglob|type|include|exclude|exclude-dir)$/;

const searchValueOptions =
  /^-[a-zA-Z]*[Mdj]$|^--(?:ignore|ignore-dir|after|before|depth|max-depth|max-columns|colors?|sortr?|type-not)$/;

const givesPattern = /^-[a-zA-Z]*[ef]$|^-[EFGPSUHILTNRabchilnopqrsvwxz]*[ef]|^--(?:regexp|file)\b/;

/** Returns the folders in which a search reads; the current folder if the command names none. */
function searchTrees(name: string, words: readonly ShellWord[]): readonly Tree[] {
  const rest = name === 'git' ? words.slice(1) : words;
  const isOption = (text: string): boolean =>
    valueOptions.test(text) || (searchers.test(name) && searchValueOptions.test(text));
  const isValue = (at: number): boolean => isOption(rest[at - 1]?.text ?? '');
  const operands = rest.filter(({ text }, at) => !text.startsWith('-') && !isValue(at));
  const hasPattern = rest.some(({ text }) => givesPattern.test(text));
  const folders = hasPattern || operands.length === 0 ? operands : operands.slice(1);
  const names = searchers.test(name) ? silentSearch : silentGrep;
  const prints = rest.some(({ text }) => names.test(text)) ? undefined : printsOf(rest);
  // A word of git with pattern characters may match files anywhere in the current folder.
  const isHere = folders.some(({ text }) => name === 'git' && /[:*?[]/.test(text));
  const literalPaths = folders.map((at) => ({ at, prints }));
  return isHere || folders.length === 0 ? [{ at: 'here', prints }, ...literalPaths] : literalPaths;
}

/** File types of ripgrep that contain no keys. */
const plainType =
  /^(?:-t|--type[= ])(?:c|cpp|css|go|html|java|js|json|julia|jupyter|markdown|md|py|python|r|rust|sh|tex|toml|ts|txt|yaml)$/;

interface Glob {
  readonly glob: string;
  /** False for files that the search leaves out. */
  readonly reads: boolean;
}

/** Returns the pattern that an option gives. `glob` is `undefined` for any pattern. */
function globOf(option: string, glob: string | undefined): readonly Glob[] {
  const isRipgrep = /^(?:-g|--i?glob)$/.test(option);
  if (isRipgrep && glob?.startsWith('!') === true) return [{ glob: glob.slice(1), reads: false }];
  if (isRipgrep || option === '--include') return [{ glob: glob ?? '*', reads: true }];
  const isLeftOut = /^--exclude(?:-dir)?$/.test(option);
  return isLeftOut && glob !== undefined ? [{ glob, reads: false }] : [];
}

/** Returns which files a search prints, by its options that include or exclude files. */
function printsOf(rest: readonly ShellWord[]): Prints {
  const globs = rest.flatMap(({ text, parts }, at) => {
    const [, option = '', own] = /^(--?[a-z-]+?)(?:=(.*))?$/s.exec(text) ?? [];
    const value = own === undefined ? rest[at + 1] : { text: own, parts };
    return globOf(option, value?.parts === undefined ? (value?.text ?? '') : undefined);
  });
  const isPlain = rest.some(({ text }, at) =>
    [text, `${rest[at - 1]?.text ?? ''}${text}`, `${rest[at - 1]?.text ?? ''} ${text}`].some(
      (option) => plainType.test(option),
    ),
  );
  if (isPlain && globs.length === 0) return () => false;
  const includes = globs.filter(({ reads }) => reads);
  const excludes = globs.filter(({ reads }) => !reads);
  return (path) => {
    const names = path.split('/');
    const matches = ({ glob }: Glob): boolean =>
      names.some((name) => mayMatch(name, glob.replace(/^\*\*\/|\/(?:\*\*)?$/g, '')));
    return (
      (includes.length === 0 || includes.some(matches)) &&
      !excludes.some((each) => !/[[{]/.test(each.glob) && matches(each))
    );
  };
}

/**
 * Returns true if the name may match the glob. A set `[…]` or list `{…}` in the glob is treated as
 * `*`, so that no match is missed.
 */
const mayMatch = (name: string, glob: string): boolean =>
  matchesGlob(name, glob.replace(/\[[^\]]*\]|\{[^}]*\}/g, '*'));

/**
 * Returns the folders of `find` and other programs that list file names, if `reader` gets these
 * names and reads the files.
 */
function listingTrees(
  { words }: Pick<ShellCommand, 'words'>,
  reader: ShellWord | undefined,
): readonly Tree[] {
  if (!/^(?:find|fd|rg|ls)$/.test(programOf(words[0]))) return [];
  if (programOf(words[0]) === 'ls') return lsTrees(words.slice(1), reader);
  const rest = words.slice(1).filter(({ text }) => !/^-[LPHRa]+$/.test(text));
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text));
  const folders = end < 0 ? rest : rest.slice(0, end);
  const prints = silent.test(programOf(reader)) ? undefined : printsOfFind(rest);
  const isFiles = rest.some(({ text }, at) => text === '-type' && rest[at + 1]?.text === 'f');
  const follows = isFiles && isAlone(rest) ? undefined : printsOfFind(rest);
  return folders.length === 0
    ? [{ at: 'here', prints, follows }]
    : folders.map((at) => ({ at, prints, follows }));
}

/** Returns the folders that `ls` lists, of which only the files directly in them are passed on. */
function lsTrees(rest: readonly ShellWord[], reader: ShellWord | undefined): readonly Tree[] {
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  const folders = rest.filter(({ text }) => !text.startsWith('-'));
  const isDeep = has(/^-[a-zA-Z]*R|^--recursive/);
  const isNamed = has(/^-[a-zA-Z]*d|^--directory/);
  const passes: Prints = (path) => isDeep || path.split('/').length <= 2;
  const prints = isNamed || silent.test(programOf(reader)) ? undefined : passes;
  const follows = isNamed ? undefined : passes;
  return folders.length === 0
    ? [{ at: 'here', prints, follows }]
    : folders.map((at) => ({ at, prints, follows }));
}

const isAlone = (rest: readonly ShellWord[]): boolean =>
  !rest.some(({ text }) => /^(?:-o|-or|-not|!|,)$/.test(text));

/**
 * Returns which files `find` passes on: those that match its `-name`; all files if it has no
 * `-name`, or an alternative.
 */
function printsOfFind(rest: readonly ShellWord[]): Prints {
  const glob = nameOfFind(rest);
  return glob === undefined ? () => true : (path) => mayMatch(posix.basename(path), glob);
}

function packs(name: string, rest: readonly ShellWord[]): boolean {
  const [first] = rest;
  if (name === 'diff') return rest.some(({ text }) => /^-[a-zA-Z]*r|^--recursive/.test(text));
  if (!/tar$/.test(name)) return true;
  return (
    /^-?[a-zA-Z]*[cru]/.test(first?.text ?? '') ||
    rest.some(({ text }) => /^-[a-zA-Z]*[cru]|^--(?:create|append|update)/.test(text))
  );
}

const readsHidden = (words: readonly ShellWord[]): boolean =>
  words.some(({ text }) => /^-[a-zA-Z]*[u.]|^--(?:hidden|unrestricted|no-ignore)/.test(text));

const beforeColon = (word: ShellWord): ShellWord => {
  const [text, spelled] = [word.text, word.spelled].map((each) =>
    each.replace(/^.*(?:source|src)=|[:,].*$/g, ''),
  );
  return { ...word, text: text ?? '', spelled: spelled ?? '' };
};
