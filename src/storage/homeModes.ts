/** Prevents other users of the computer from reading or changing the home folder of Helios. */
import { chmod, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { currentPlatform } from '../base/platform.ts';
import type { Home } from './home.ts';

const others = 0o077;

/**
 * Matches the names of files and folders in the home folder that belong to Helios, because the user
 * may have other files there. Does not match `auth` and the git guard, because their modes must not
 * be repaired: if other users could have changed their content, keys in `auth` are refused, and the
 * git guard is replaced.
 */
const ownNames =
  /^(?:sessions|runs|memory|allowed|held|mandates|claude|skills|tmp|leases|worktrees|demo|projects|label-key|(?:machines|approvals|folders|preferences|machine-homes|engines|models|last-provider)\.json|session-index\.db|background\.log.*)$/;

/**
 * Folders in which the modes of the user's files stay unchanged. Only the folder itself is closed
 * to others.
 */
const withOwnModes = new Set(['worktrees', 'demo']);

/**
 * Resolves with the files and folders of Helios that other users can access, judged by their modes;
 * the home folder comes first. Skips the content of folders that other users cannot access, except
 * the home folder, and does not follow links.
 */
export async function openToOthers({ folder }: Home): Promise<readonly string[]> {
  if (currentPlatform() === 'win32') return [];
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

/** Resolves with the mode of a file or folder; 0 if it does not exist. */
const modeOf = (place: string): Promise<number> =>
  stat(place).then(
    ({ mode }) => mode,
    () => 0,
  );

/**
 * Removes the access of other users to the home folder and its content. Files of another user, and
 * files on a file system without modes, stay unchanged.
 */
export async function closeHome(home: Home): Promise<void> {
  for (const place of await openToOthers(home)) {
    await chmod(place, (await modeOf(place)) & 0o7777 & ~others).catch(() => undefined);
  }
}
