/** Keeps the home folder closed to other users of the computer. */
import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Home } from './home.ts';

const others = 0o077;

/**
 * Entries of the home folder that belong to Helios. Others are the user's own, if the folder is not
 * only for Helios. Two are checked where they are used, because their content is not to be trusted
 * after others could write it: `auth`, whose keys are refused, and the git guard, which is replaced.
 */
const ownNames =
  /^(?:sessions|runs|memory|allowed|held|mandates|claude|skills|tmp|leases|worktrees|demo|projects|label-key|(?:machines|approvals|folders|preferences|machine-homes|engines|models)\.json|session-index\.db|background\.log.*)$/;

/** The entries in which files of the user have modes of their own; the folder itself is closed. */
const withOwnModes = new Set(['worktrees', 'demo']);

/**
 * Resolves with the folders and files of Helios that the modes open to other users, the home folder
 * first. Does not read folders that are closed, except the home folder, nor follow links below it.
 */
export async function openToOthers({ folder }: Home): Promise<readonly string[]> {
  if (process.platform === 'win32') return [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => ownNames.test(name));
  const own = await Promise.all(
    names.map((name) => openBelow(path.join(folder, name), !withOwnModes.has(name))),
  );
  return [...((await isOpen(folder)) ? [folder] : []), ...own.flat()];
}

async function openBelow(place: string, isDeep: boolean): Promise<readonly string[]> {
  if (!(await isOpen(place))) return [];
  const entries = isDeep ? await readdir(place, { withFileTypes: true }).catch(() => []) : [];
  const below = await Promise.all(
    entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => openBelow(path.join(place, entry.name), true)),
  );
  return [place, ...below.flat()];
}

const isOpen = async (place: string): Promise<boolean> => ((await modeOf(place)) & others) !== 0;

/** Resolves with 0 if there is nothing. */
const modeOf = (place: string): Promise<number> =>
  stat(place).then(
    ({ mode }) => mode,
    () => 0,
  );

/**
 * Removes the access of other users to the home folder and to what it contains. What belongs to
 * another user, or is on a file system without modes, stays as it is.
 */
export async function closeHome(home: Home): Promise<void> {
  for (const place of await openToOthers(home)) {
    await chmod(place, (await modeOf(place)) & 0o7777 & ~others).catch(() => undefined);
  }
}
