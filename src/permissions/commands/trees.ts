/** Recognizes commands that read whole folders, and with them keys that they do not name. */
import { posix } from 'node:path';
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { programOf } from '../../shell/wrappers.ts';
import { pathsOf } from './operand.ts';
import type { Spot } from './place.ts';
import { asksEach, denies, safe, strictest, type Verdict } from './verdict.ts';

const greps = /^(?:[ef]?grep|zgrep)$/;
const searchers = /^(?:rg|ag|ack)$/;
/** Programs that copy or pack folders: all of their operands but the last are sources. */
const copiers = /^(?:cp|scp|mv|rsync|ln|rclone)$/;
const packers = /^(?:zip|7z|7za|bsdtar|tar|diff|gsutil)$/;
/** Programs that mount folders for others. */
const mounters = /^(?:docker|podman|apptainer|singularity|bwrap)$/;
/** Programs that read the files whose names they get. */
const nameReaders = /^(?:xargs|parallel|cpio|tar|rsync)$/;

/**
 * Returns a denial for a command that reads every file of a folder with keys below it, and `safe`
 * for another one. Asks where it is not known whether there are keys.
 */
export function readsTree(name: string, command: ShellCommand, spot: Spot): Verdict {
  const hidden = searchers.test(name) && !readsHidden(command.words);
  const verdicts = treesOf(name, command)
    .flatMap((word) =>
      word === 'here' ? spot.folders : (pathsOf(word, spot) ?? named(word, spot)),
    )
    .map((path) => treeVerdict(spot.place.realPath(path) ?? path, spot, hidden));
  return strictest(verdicts);
}

function treeVerdict(folder: string, { place, part }: Spot, leavesHidden: boolean): Verdict {
  const keys = place.rules
    .keysBelow(folder, place.home)
    .filter((path) => !leavesHidden || !path.slice(folder.length).includes('/.'));
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

type Tree = ShellWord | 'here';

/** Returns the paths by the names of their folders, although a link before `..` may lead elsewhere. */
const named = ({ spelled }: ShellWord, { place, folders }: Spot): readonly string[] =>
  folders.map((folder) =>
    posix.resolve(folder, spelled.replace(/^(?:~|\$HOME)(?=\/)/, place.home)),
  );

/** Returns the folders of which the command reads every file, among other operands. */
function treesOf(name: string, { words, sources = [] }: ShellCommand): readonly Tree[] {
  const rest = words.slice(1);
  const isReader = nameReaders.test(name) || rest.some(({ isDynamic }) => isDynamic);
  return [...(isReader ? sources.flatMap(foundBy) : []), ...ownTrees(name, words)];
}

function ownTrees(name: string, words: readonly ShellWord[]): readonly Tree[] {
  const rest = words.slice(1);
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  const operands = rest.filter(({ text }) => !text.startsWith('-'));
  if (name === 'find') return has(/^-(?:exec|ok)/) ? foundBy({ words }) : [];
  if (searches(name, has)) return searched(operands);
  if (mounters.test(name)) return operands.map(beforeColon);
  if (packers.test(name)) return packs(name, rest) ? operands : [];
  const copies = copiers.test(name) && (!/^s?cp$/.test(name) || has(recursive));
  return copies ? operands.slice(0, Math.max(1, operands.length - 1)) : [];
}

const recursive = /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)/;

const searches = (name: string, has: (pattern: RegExp) => boolean): boolean =>
  searchers.test(name) ||
  (greps.test(name) && has(/^-[a-zA-Z]*[rR]|recurs/)) ||
  (name === 'git' && has(/^--no-index$/));

/** Without a folder, a search reads the current one. */
const searched = (operands: readonly ShellWord[]): readonly Tree[] =>
  operands.length <= 1 ? [...operands, 'here'] : operands;

/** Returns the folders of `find`, and of other programs that list the names of files. */
function foundBy({ words }: Pick<ShellCommand, 'words'>): readonly Tree[] {
  if (!/^(?:find|fd|rg|ls)$/.test(programOf(words[0]))) return [];
  const rest = words.slice(1).filter(({ text }) => !/^-[LPHRa]+$/.test(text));
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text));
  const folders = end < 0 ? rest : rest.slice(0, end);
  return folders.length === 0 ? ['here'] : folders;
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
