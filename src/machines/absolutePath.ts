import { posix } from 'node:path';
import type { Machine } from './machine.ts';

/**
 * Returns the absolute path on a machine: `~` is its home folder, and a relative path starts at its
 * working folder. A path below `~` is returned as given while the home folder is not known.
 */
export function absolutePath(
  { homeFolder, workFolder }: Pick<Machine, 'homeFolder' | 'workFolder'>,
  path: string,
): string {
  const isInHome = path === '~' || path.startsWith('~/');
  if (!isInHome) return posix.resolve(workFolder, path);
  return homeFolder === undefined ? path : posix.join(homeFolder, path.slice(1));
}
