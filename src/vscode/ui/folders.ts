import { isAbsolute, relative } from 'node:path';

/** Whether `path` is `folder` or lies below it. Both are absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}
