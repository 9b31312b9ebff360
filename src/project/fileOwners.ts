/** Finds out whether other users of the computer can change a file. */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';

/** The user of this process. */
export interface FileUser {
  readonly uid: number;
  /**
   * Id of the user's private group, which has no other members. Many systems create such a group
   * for each user.
   */
  readonly privateGid?: number;
}

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

const root = 0;
const [groupWrites, othersWrite] = [0o020, 0o002];

/** Resolves with the user of this process; `undefined` on a system without user ids. */
export async function currentFileUser(): Promise<FileUser | undefined> {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  const isPrivate = uid !== root && process.getegid?.() === uid && (await isAlone(uid));
  return { uid, ...(isPrivate && { privateGid: uid }) };
}

/** Resolves with true if no other user of this computer is a member of the group. */
async function isAlone(gid: number): Promise<boolean> {
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const { username } = userInfo();
  const found = groups.split('\n').map((line) => line.split(':'));
  const lines = found.filter(([, , id]) => id === String(gid));
  return (
    lines.length === 1 &&
    lines.every(
      ([name, , , members = '']) => name === username && ['', username].includes(members.trim()),
    )
  );
}

/**
 * Returns a clause that says which other users can change a file or a folder with these stats;
 * `undefined` if only the user and root can.
 */
export function otherOwner({ uid, gid, mode }: Owned, user: FileUser): string | undefined {
  if (uid !== user.uid && uid !== root) return 'belongs to another user';
  const isShared = (mode & groupWrites) !== 0 && gid !== user.privateGid;
  return isShared || (mode & othersWrite) !== 0 ? 'can be changed by other users' : undefined;
}

/**
 * Resolves with a clause that says why other users can change the file or replace it in its folder;
 * `undefined` if they cannot. `stats`: those of the open file. `paths`: its path, and its path
 * without links.
 */
export async function othersWho(
  stats: Owned,
  paths: readonly string[],
  user: FileUser | undefined,
): Promise<string | undefined> {
  if (user === undefined) return undefined;
  const ofFile = otherOwner(stats, user);
  if (ofFile !== undefined) return ofFile;
  for (const folder of new Set(paths.map((file) => path.dirname(file)))) {
    const ofFolder = otherOwner(await stat(folder), user);
    if (ofFolder !== undefined) return `is in a folder that ${ofFolder}`;
  }
  return undefined;
}
