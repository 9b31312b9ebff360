/** The files that may be `claude`, and the program that each of them starts. */
import { access, constants, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { searchFolders, variableOf, type HostSystem } from '../../base/hostSystem.ts';

/** Returns the files in the order in which they are tried. `named`: the path from the settings. */
export function candidates(named: string | undefined, system: HostSystem): string[] {
  if (named !== undefined) return withExtensions(named, system);
  const home = variableOf(system, 'HOME') ?? homedir();
  const npm = system.platform === 'win32' ? [variableOf(system, 'APPDATA') ?? ''] : [];
  // The usual folders are also searched, because a window that was not opened from a terminal lacks
  // the shell's PATH.
  return [
    ...searchFolders(system),
    path.join(home, '.local', 'bin'),
    path.join(home, '.claude', 'local'),
    ...npm.filter((folder) => folder !== '').map((folder) => path.join(folder, 'npm')),
  ].flatMap((folder) => withExtensions(path.join(folder, 'claude'), system));
}

/** On Windows, a name without extension stands for a program or for the script of npm. */
const withExtensions = (file: string, { platform }: HostSystem): string[] =>
  platform === 'win32' && path.extname(file) === '' ? [`${file}.exe`, `${file}.cmd`] : [file];

export async function isProgram(file: string, { platform }: HostSystem): Promise<boolean> {
  try {
    await access(file, platform === 'win32' ? constants.F_OK : constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * Resolves with the program that a file starts: with the file itself or, for a script that npm has
 * made on Windows, with the program behind it. Node starts such a script only through a shell, which
 * would read the arguments a second time. Resolves with `undefined` if the script names no program.
 */
export async function programOf(
  file: string,
  { platform }: HostSystem,
): Promise<string | undefined> {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return file;
  const text = await readFile(file, 'utf8');
  const [, target] = /"%(?:~dp0|dp0%)\\?([^"]+\.(?:exe|m?js))"\s*%\*/i.exec(text) ?? [];
  return target === undefined ? undefined : path.join(path.dirname(file), ...target.split('\\'));
}

/** Returns the words that start the program: scripts need Node on Windows, as in the SDK. */
export const startOf = (program: string, { platform }: HostSystem): [string, ...string[]] =>
  platform === 'win32' && /\.m?js$/i.test(program) ? ['node', program] : [program];
