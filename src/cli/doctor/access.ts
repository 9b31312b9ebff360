/** Checks which folders of Helios other users can access, here and on hosts. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { counted, shellQuote } from '../../base/text.ts';
import type { Home } from '../../compose/home.ts';
import type { Machine } from '../../machines/machine.ts';
import { broken, note, ok, warning, type Finding } from './finding.ts';
import { currentPlatform } from '../../base/platform.ts';

/**
 * Returns a finding about the access of other users to the home folder.
 * @param before Paths that other users could access before the engine started.
 * @param now Paths that they can still access.
 */
export function homeAccess(
  before: readonly string[],
  now: readonly string[],
  platform: NodeJS.Platform = currentPlatform(),
): Finding {
  const name = 'access';
  if (platform === 'win32')
    return note(
      name,
      'decided by the access list of your user folder, which Helios does not check',
    );
  if (now.length > 0)
    return warning(
      name,
      `Other users can access ${pathsText(now)}. Helios could not remove this access.`,
      `Run as the owner: chmod go= ${now.map((path) => shellQuote(path)).join(' ')}`,
    );
  if (before.length === 0) return ok(name, 'only you');
  return warning(
    name,
    `Other users could access ${pathsText(before)}. Helios has removed this access.`,
    'If others could write there, check machines.json and preferences.json.',
  );
}

const pathsText = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${counted(others.length, 'other path')}`;

/** Resolves with findings about the keys in files: how many there are, and who can read them. */
export async function keyFindings(
  { authFolder }: Pick<Home, 'authFolder'>,
  platform: NodeJS.Platform = currentPlatform(),
): Promise<Finding[]> {
  try {
    const names = await readdir(authFolder);
    const count = `${names.length} in ${authFolder}`;
    if (platform === 'win32')
      return [
        note(
          'keys',
          `${count}, whose access list Helios sets for you alone when it stores a key`,
          `To see the list: icacls "${authFolder}"`,
        ),
      ];
    const open = await openFiles([authFolder, ...names.map((name) => path.join(authFolder, name))]);
    if (open.length === 0) return [ok('keys', `${count}, readable only by their owner`)];
    return open.map((file) =>
      broken('keys', `${file} can be read by other users.`, `chmod go= ${file}`),
    );
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? [note('keys', 'no key is stored in a file')]
      : [broken('keys', messageOf(error))];
  }
}

async function openFiles(files: readonly string[]): Promise<string[]> {
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode));
  return files.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0);
}

/**
 * Prints each of the given paths that exists and that other users can access, judged by its mode.
 */
const script = `cd -- "$1" 2>/dev/null || exit 0
for path in "$1" "$1/runs" "$1"/git-guard-*; do
  case $(ls -ldn -- "$path" 2>/dev/null) in d???------*) ;; d*) echo "$path" ;; esac
done`;

const timeoutMs = 10_000;

/**
 * Resolves with a finding if other users of a host can access the folder of Helios there; with
 * `undefined` if they cannot, or if that is unknown. The home folder on this computer is checked by
 * `storageFindings`; other folders of runs are not checked, because they may be shared on purpose.
 */
export async function hostAccess(
  machine: Pick<Machine, 'id' | 'kind' | 'exec' | 'path' | 'runsFolder'>,
): Promise<Finding | undefined> {
  const folder = machine.path.dirname(machine.runsFolder);
  if (machine.kind === 'local' || machine.path.basename(folder) !== '.helios') return undefined;
  const open = await openFolders(machine, folder).catch(() => []);
  if (open.length === 0) return undefined;
  return warning(
    machine.id,
    `Other users of the machine can access ${open.join(', ')}.`,
    `Launch a run there, which removes this access, or run there: chmod go= ${open.map(shellQuote).join(' ')}`,
  );
}

async function openFolders(machine: Pick<Machine, 'exec'>, folder: string): Promise<string[]> {
  const command = `exec /bin/sh -c ${shellQuote(script)} helios ${shellQuote(folder)}`;
  const { stdout } = await machine.exec(command, { cwd: '/', timeoutMs });
  return stdout.split('\n').filter(Boolean);
}
