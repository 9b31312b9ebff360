import { isAbsolute, relative } from 'node:path';

/** Whether `path` is `folder` itself or inside it. Both are absolute paths. */
export function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !/^\.\.[/\\]/.test(relativePath) && !isAbsolute(relativePath);
}
