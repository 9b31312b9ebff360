/** Judges the names and links that a machine lists: all of them must stay in the folder. */
import type { Bytes } from './ends.ts';

/** Prefix of temporary names at the destination. */
export const ownPrefix = '.helios-transfer-';

export function parentOf(name: Bytes): Bytes {
  const at = name.lastIndexOf('/');
  return at < 0 ? '.' : name.slice(0, at);
}

export const baseOf = (name: Bytes): Bytes => name.slice(name.lastIndexOf('/') + 1);

/** Returns the absolute path of a name in a folder. */
export function pathIn(folder: Bytes, name: Bytes): Bytes {
  if (name === '.') return folder;
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** Returns whether a name is relative and has no part that is empty, `.` or `..`. */
export const isPlainName = (name: Bytes): boolean =>
  name === '.' || !/(?:^|\/)\.{0,2}(?:\/|$)/.test(name);

/**
 * Returns whether the target of a link may be outside the folder. As for `rsync --safe-links`, the
 * target must be relative, with `..` at its start only: after a name, which may be another link,
 * `..` may lead anywhere.
 */
export function leavesFolder(name: Bytes, target: Bytes): boolean {
  const [ups = ''] = /^(?:\.{1,2}(?:\/+|$))*/.exec(target) ?? [];
  const rest = target.slice(ups.length);
  const levelsUp = ups.split('/').filter((part) => part === '..').length;
  const depth = name.split('/').length - 1;
  return target.startsWith('/') || levelsUp > depth || rest.split('/').includes('..');
}
