import { win32, type PlatformPath } from 'node:path';
import { MachineFailure, type Machine } from './machine.ts';
import { windowsPathProblem } from './windowsPath.ts';

/** Returns true for `~` and paths below it. */
export const isBelowHome = ({ path: paths }: Pick<Machine, 'path'>, path: string): boolean =>
  path === '~' || path.startsWith('~/') || path.startsWith(`~${paths.sep}`);

/**
 * Returns the absolute path on a machine: `~` is its home folder, and a relative path starts at its
 * working folder. A path below `~` is returned as given while the home folder is not known. Throws
 * `MachineFailure` for a path of Windows that does not name exactly one file or folder.
 */
export function absolutePath(
  machine: Pick<Machine, 'path' | 'homeFolder' | 'workFolder'>,
  path: string,
): string {
  const { path: paths, homeFolder, workFolder } = machine;
  const isInHome = isBelowHome(machine, path);
  if (isInHome && homeFolder === undefined) return path;
  const named = isInHome ? paths.join(homeFolder ?? '', path.slice(1)) : path;
  const problem = paths === win32 ? windowsPathProblem(named, workFolder) : undefined;
  if (problem !== undefined) throw new MachineFailure('denied', `Cannot use ${path}: ${problem}`);
  return isInHome ? named : paths.resolve(workFolder, named);
}

/** Returns whether a path is the folder or in it. Both are absolute. Windows ignores case. */
export function isInFolder(paths: PlatformPath, folder: string, path: string): boolean {
  const within = paths.relative(folder, path);
  return !(within === '..' || within.startsWith(`..${paths.sep}`) || paths.isAbsolute(within));
}
