/** Recognizes commands that remove whole folders of the user or the system. */
import { posix } from 'node:path';
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { isWithin, pathsOf } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { asksEach, denies, safe, type Verdict } from '../verdicts/verdict.ts';

const removers: ReadonlySet<string> = new Set(['rm', 'shred', 'unlink', 'srm']);

const systemFolders =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|sbin|srv|sys|usr|var|System|Library|Users|Applications)?$/;
/** Folders within system folders, and the home folders of other users. */
const innerFolders =
  /^\/(?:bin|boot|dev(?!\/shm$)|etc|home|lib|lib32|lib64|proc|sbin|sys|usr|var|System|Library|Users)\/[^/]+$/;
const temporary = /^\/(?:tmp|var\/tmp|dev\/shm|private\/tmp|private\/var\/folders)\/./;

/**
 * Returns the verdict on removing, moving or changing whole folders. Folders of the system and home
 * folders are refused; for folders outside the working folder, the user is asked each time.
 * Otherwise `safe`.
 */
export function removalOf(name: string, rest: readonly ShellWord[], spot: Spot): Verdict {
  const has = (pattern: RegExp): boolean => rest.some(({ text }) => pattern.test(text));
  const isRecursive = has(/^-[a-zA-Z]*[rR]|^--recursive/);
  const isRemoval = (removers.has(name) && isRecursive) || (name === 'find' && has(/^-delete$/));
  const isChange =
    isRemoval ||
    name === 'mv' ||
    (/^ch(?:mod|own|grp)$/.test(name) && isRecursive) ||
    (name === 'find' && has(/^-exec/) && has(/^(?:rm|shred|unlink|mv|ch(?:mod|own|grp))$/));
  if (!isChange) return safe;
  const paths = rest.flatMap((word) => targetsOf(word, spot));
  const never = neverChanged(paths, rest, spot);
  if (never !== undefined) return denies(never, spot.part);
  if (!isRemoval) return safe;
  if (paths.some((path) => innerFolders.test(path)))
    return denies('removes a folder of the system or of another user', spot.part);
  const outside = paths.find((path) => !temporary.test(path) && !isOwn(path, spot));
  return outside === undefined
    ? safe
    : asksEach(
        'removes a folder outside the working folder',
        spot.part,
        `${outside} is outside the working folder, and each removal of a folder there needs an approval`,
      );
}

/**
 * Returns why no mode allows a removal or change of these paths; `undefined` if it may be allowed.
 */
function neverChanged(
  paths: readonly string[],
  rest: readonly ShellWord[],
  { place: { home } }: Spot,
): string | undefined {
  const isOfUser = rest.some(({ spelled }) => /^~[\w-]+\/?$/.test(spelled));
  if (isOfUser || paths.some((path) => systemFolders.test(path) || isWithin(path, home)))
    return 'removes or changes a whole home or system folder';
  return paths.some((path) => /\/\.git(?:\/|$)/.test(path))
    ? 'changes the internals of a git repository'
    : undefined;
}

const isOwn = (path: string, { place: { workFolder, readFolders = [] } }: Spot): boolean =>
  (readFolders.length > 0 ? readFolders : [workFolder]).some((folder) => isWithin(folder, path));

/** Returns the real paths that a word may name; empty for an option. */
function targetsOf(word: ShellWord, spot: Spot): readonly string[] {
  if (word.text.startsWith('-')) return [];
  const bare = withoutPattern(word);
  const named = bare.isDynamic ? [] : spot.folders.map((each) => posix.resolve(each, bare.text));
  return (pathsOf(bare, spot) ?? named).map((path) => spot.place.realPath(path) ?? path);
}

/** Returns the word for the folder if the word is `FOLDER/*`; returns other words unchanged. */
function withoutPattern(word: ShellWord): ShellWord {
  const [text, spelled] = [word.text, word.spelled].map((each) =>
    each.replace(/^\.?\*$/, '.').replace(/\/\.?\*$/, '/'),
  );
  if (text === undefined || spelled === undefined || text === word.text) return word;
  return { ...word, text, spelled, isDynamic: text !== spelled };
}
