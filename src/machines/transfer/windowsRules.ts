/** Adapts the items of a transfer to Windows, which has other names and no permission bits. */
import { textOf, type Bytes } from './ends.ts';
import { isWindowsName } from './names.ts';
import type { Entries, Entry } from './tree.ts';

/**
 * Returns a function that tells why Windows cannot have an item, or a link with its target;
 * `undefined` if it can.
 */
export function windowsProblems(
  source: Entries,
  links: ReadonlyMap<Bytes, Bytes>,
): (name: Bytes) => string | undefined {
  const firstNames = new Map<string, Bytes>();
  for (const name of source.keys())
    if (!firstNames.has(folded(name))) firstNames.set(folded(name), name);
  return (name) => {
    if (!isWindowsName(name)) return 'Windows cannot store this name. Rename it, or exclude it';
    const first = firstNames.get(folded(name)) ?? name;
    if (first !== name) return `Windows does not tell its name from ${textOf(first)}. Rename one`;
    const target = links.get(name);
    return target === undefined || isWindowsTarget(target)
      ? undefined
      : `it is a link to ${textOf(target)}, a name that Windows cannot store`;
  };
}

const folded = (name: Bytes): string => textOf(name).toLowerCase();

const isWindowsTarget = (target: Bytes): boolean =>
  target
    .split('/')
    .every((part) => part === '' || part === '.' || part === '..' || isWindowsName(part));

/** Returns entries with the modes that items of the same name and kind have in `others`. */
export function withModesOf(others: Entries, entries: Entries): Map<Bytes, Entry> {
  const adapted = ([name, entry]: readonly [Bytes, Entry]): readonly [Bytes, Entry] => {
    const other = others.get(name);
    return [name, other?.kind === entry.kind ? { ...entry, mode: other.mode } : entry];
  };
  return new Map([...entries].map(adapted));
}
