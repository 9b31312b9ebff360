/** Judges the names and links that a machine lists: all of them must stay in the folder. */
import { textOf, type Bytes } from './ends.ts';

/** Prefix of temporary names at the destination. */
export const ownPrefix = '.helios-transfer-';

export function parentOf(name: Bytes): Bytes {
  const at = name.lastIndexOf('/');
  return at < 0 ? '.' : name.slice(0, at);
}

export const baseOf = (name: Bytes): Bytes => name.slice(name.lastIndexOf('/') + 1);

/** Returns the form in which names are equal on a file system that ignores case, as on a Mac. */
export const folded = (name: Bytes): string => textOf(name).normalize('NFC').toLowerCase();

/** Returns the absolute path of a name in a folder. */
export function pathIn(folder: Bytes, name: Bytes): Bytes {
  if (name === '.') return folder;
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

/** Returns whether a name is relative and has no part that is empty, `.` or `..`. */
export const isPlainName = (name: Bytes): boolean =>
  name === '.' || !/(?:^|\/)\.{0,2}(?:\/|$)/.test(name);

/** Characters that Windows refuses, or takes for a separator or for a part of a file. */
const windowsRefuses = /[\0-\x1f<>:"|?*\\\ufffd]|[. ]$/;
/** Names of devices, with any extension. */
const windowsDevice = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;
/** Short names under which Windows may know another file. */
const windowsShortName = /^[^.]{1,6}~\d{1,6}(?:\.[^.]{0,3})?$/;

/** Returns whether Windows stores an item under exactly this name. */
export const isWindowsName = (name: Bytes): boolean =>
  name === '.' ||
  textOf(name)
    .split('/')
    .every(
      (part) =>
        part !== '' &&
        ![windowsRefuses, windowsDevice, windowsShortName].some((pattern) => pattern.test(part)),
    );

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
