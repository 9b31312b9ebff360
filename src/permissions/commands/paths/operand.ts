/** Judges the paths in a command line. */
import { posix } from 'node:path';
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { pathNote } from '../../pathRules.ts';
import type { CommandPlace, Spot } from './place.ts';
import { hasChoice, wordTexts } from '../values/possibleTexts.ts';
import { isCachePath, isStream, isSystemPath } from './systemPaths.ts';
import { asks, asksEach, denies, safe, strictest, type Verdict } from '../verdicts/verdict.ts';

/**
 * How a command reads a path. `content`: the content of the file. `names`: only names, sizes and
 * times. `link`: only where the link leads.
 */
export type Reading = 'content' | 'names' | 'link';

/** Matches the links to the folder and the program of a process, which `ps` and `pwdx` show, too. */
const processLink = /^\/proc\/(?:(?:\d+|self|\{\}|\$\w+|\$\{\w+\}|\$\([^/]*\))\/)?(?:cwd|exe)$/;

export const isProcessLink = ({ spelled }: ShellWord): boolean => processLink.test(spelled);

/** Returns the verdict on reading the path that a word names. */
export function judgeRead(word: ShellWord, spot: Spot, reading: Reading = 'content'): Verdict {
  const paths = pathsOf(word, spot);
  if (paths === undefined) {
    return namesKey(word, spot.place) && !(reading === 'link' && isProcessLink(word))
      ? denies('reads a key', spot.part)
      : asks('reads an unclear path', spot.part);
  }
  return strictest(paths.map((path) => judgeReadPath(path, spot, reading)));
}

/**
 * Returns true for a word that may name a key, because of its fixed text or because it is a pattern
 * that matches the usual path of a key.
 */
export function namesKey({ text, spelled }: ShellWord, { rules, home }: CommandPlace): boolean {
  if ([spelled, `/${spelled}`, `/${text}`].some((path) => rules.isKey(path))) return true;
  const named = spelled.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home);
  if (!/[*?[{]/.test(named)) return false;
  // With more stars, matching would take too long, so the pattern is assumed to match.
  if ((named.match(/\*+/g)?.length ?? 0) > maxStars) return true;
  const pattern = patternOf(named);
  return rules.keyPlaces(home).some((path) => pattern?.test(path) === true);
}

const maxStars = 12;
const signs: Readonly<Record<string, string>> = { '*': '[^/]*', '?': '[^/]', '{': '(?:', '}': ')' };

/**
 * Returns the pattern of the shell as a regular expression; `undefined` if it is not well formed.
 */
function patternOf(text: string): RegExp | undefined {
  const parts = text.match(/\[[^\]/]*\]|\$\{?\w+\}?|\*+|[^]/g) ?? [];
  let depth = 0;
  const source = parts.map((each) => {
    if (each.length > 1) return `[^/]${each.startsWith('[') ? '' : '*'}`;
    if (each === '{') depth += 1;
    if (each === '}') depth -= 1;
    const isAlternative = each === ',' && depth > 0;
    return signs[each] ?? (isAlternative ? '|' : each.replace(/[.+^$()|\\\][]/, '\\$&'));
  });
  try {
    return new RegExp(`^${source.join('')}$`);
  } catch {
    return undefined;
  }
}

/** Returns the verdict on writing, changing or removing the path that a word names. */
export function judgeWrite(word: ShellWord, { place, ...spot }: Spot): Verdict {
  const paths = pathsOf(word, { place, ...spot }) ?? [`/${word.text}`];
  const verdicts = paths
    .flatMap((path) => (isStream(path) ? [] : [path, place.realPath(path) ?? path]))
    .flatMap((path) => place.rules.useOf(path, 'write', 'commands') ?? [])
    .map((use) =>
      use.verdict === 'deny'
        ? denies(`writes ${use.content}`, spot.part)
        : asksEach(`writes ${use.content}`, spot.part, pathNote(use)),
    );
  return strictest([asks('writes files', spot.part), ...verdicts]);
}

function judgeReadPath(path: string, { place, part }: Spot, reading: Reading): Verdict {
  if (reading === 'link' && processLink.test(path)) return safe;
  const real = place.realPath(path);
  const names = real === undefined ? [path] : [path, real];
  if (names.some((name) => place.rules.isKey(name)))
    return denies(`reads keys or the environment of a process (${path})`, part);
  if (reading === 'content' && names.some((name) => place.rules.useOf(name)?.verdict === 'deny'))
    return denies(`reads what no call may read (${path})`, part);
  if (real === undefined) return asks('reads a path that cannot be resolved', part);
  if ([path, real].some(isSystemPath)) return safe;
  const isListed = reading === 'names' && isCachePath(real, place.home);
  if (!isListed && !isGranted(real, place)) return asks('reads outside the working folder', part);
  return reading === 'content' && names.some((name) => place.rules.isPrivate(name))
    ? asks('reads a file that may hold secrets', part)
    : safe;
}

const isGranted = (real: string, { workFolder, readFolders = [] }: CommandPlace): boolean =>
  [workFolder, ...readFolders].some((folder) => isWithin(folder, real));

export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/**
 * Returns the absolute paths that a word may name, in each folder in which the command may run;
 * `undefined` if only the shell can know them. Links are not resolved.
 */
export function pathsOf(word: ShellWord, spot: Spot): readonly string[] | undefined {
  if (hasChoice(word)) return choicePaths(word, spot);
  const { place, folders } = spot;
  const text = expandPath(word, place);
  if (text === undefined) return undefined;
  if (!text.startsWith('/') && folders.length === 0) return undefined;
  // If the folder before `..` is a link, the path may really lead elsewhere.
  if (/(?:^|\/)(?!\.\.?\/)[^/]+\/(?:\.\/)*\.\.(?:\/|$)/.test(text)) return undefined;
  const isUp = /^(?:\.\/)*\.\.(?:\/|$)/.test(text);
  const bases = text.startsWith('/')
    ? ['/']
    : folders.flatMap((folder) => (isUp ? (place.realPath(folder) ?? []) : [folder]));
  if (bases.length === 0) return undefined;
  const paths = bases.map((folder) => posix.resolve(folder, text));
  if (!word.isDynamic || !glob.test(text)) return paths;
  return matchesOf(text, paths, place);
}

/** Returns the paths of all texts that a word may be; of a folder with all below it, its own. */
function choicePaths(word: ShellWord, spot: Spot): readonly string[] | undefined {
  const choices = wordTexts(word);
  if (choices === undefined) return undefined;
  // All are asked for, also after one that is not known, so that the machine is asked once.
  const found = choices.flatMap(({ text, isPattern, source, below }) => {
    const texts = below === undefined ? [text] : [text, below.folder === '' ? '.' : below.folder];
    return texts.map((each) => {
      const named = { text: each, spelled: each, isDynamic: isPattern, isQuoted: !isPattern };
      const paths = pathsOf(named, spot);
      if (source === undefined || paths === undefined) return paths;
      const filtered = isSimple(each) ? paths.filter(endsWith(source)) : paths;
      return [...filtered, ...laterPaths(each, spot)];
    });
  });
  return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? []);
}

/** Returns a path of a file with a number in its name, which may be made later. */
function laterPaths(pattern: string, spot: Spot): readonly string[] {
  const text = pattern.replaceAll('*', '1');
  return pathsOf({ text, spelled: text, isDynamic: false, isQuoted: true }, spot) ?? [];
}

/** Returns true for a path that is the end of the absolute path that it stands for. */
const isSimple = (text: string): boolean =>
  !text.split('/').some((part, index) => /^\.\.?$/.test(part) || (part === '' && index > 0));

const endsWith = (source: string): ((path: string) => boolean) => {
  const pattern = new RegExp(`(?:^|/)${source}$`);
  return (path) => pattern.test(path);
};

const glob = /[*?]/;

/**
 * Returns the paths that match the patterns; `undefined` if a match would be read as an option, or
 * if the matches are not known.
 */
function matchesOf(
  text: string,
  patterns: readonly string[],
  place: CommandPlace,
): readonly string[] | undefined {
  const found = patterns.map((pattern) => place.matches(pattern));
  if (found.includes(undefined)) return undefined;
  const all = found.flatMap((each) => each ?? []);
  const isOption = glob.test(text[0] ?? '') && all.some((path) => /\/-/.test(path));
  return isOption ? undefined : all;
}

const sets = /\[[!^]?(?:\w-\w|\w)+\]/g;

/** Returns true for a pattern of file names with `[…]`, such as `runs/exp[0-9]`. */
export const hasSets = ({ text, spelled, isDynamic, parts }: ShellWord): boolean =>
  isDynamic && parts === undefined && text === spelled && isPatternWithSets(text);

export const isPatternWithSets = (text: string): boolean =>
  /[/*?]/.test(text) && text.includes('[') && !/[[\]]/.test(text.replace(sets, ''));

const variable = /^\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/|$)/;

/**
 * Replaces `~`, `$HOME` and `$PWD` at the start of a word, and `[…]` by `*`, which also matches the
 * word as written; `undefined` for other expansions.
 */
export function expandPath(word: ShellWord, place: CommandPlace): string | undefined {
  const { home } = place;
  if (hasSets(word) && namesKey(word, place)) return undefined;
  const { spelled, isDynamic } = word;
  const text = hasSets(word) ? word.text.replace(sets, '*') : word.text;
  const [name = ''] = variable.exec(spelled) ?? [];
  const isVariable = isDynamic && name !== '' && text === spelled.slice(name.length);
  if (isVariable) return (name.includes('HOME') ? home : '.') + text;
  if (isDynamic && (word.text !== spelled || /[{}$`\\[]/.test(text))) return undefined;
  if (!text.startsWith('~')) return text;
  return /^~(?:\/|$)/.test(text) ? home + text.slice(1) : undefined;
}
