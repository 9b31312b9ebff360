/** Adapts the items of a transfer to systems with other names, and without permission bits. */
import { textOf, type Bytes } from './ends.ts';
import { folded, isWindowsName } from './names.ts';
import type { Entries, Entry, Tools } from './tree.ts';

/**
 * Returns a function that tells why the destination cannot have an item, or a link with its target;
 * `undefined` if it can.
 */
export function nameProblems(
  source: Entries,
  links: ReadonlyMap<Bytes, Bytes>,
  { system, foldsNames }: Pick<Tools, 'system' | 'foldsNames'>,
): (name: Bytes) => string | undefined {
  if (!foldsNames) return () => undefined;
  const firstNames = new Map<string, Bytes>();
  for (const name of source.keys())
    if (!firstNames.has(folded(name))) firstNames.set(folded(name), name);
  return (name) => {
    const isWindows = system === 'windows';
    if (isWindows && !isWindowsName(name))
      return 'Windows cannot store this name. Rename it, or exclude it';
    const first = firstNames.get(folded(name)) ?? name;
    if (first !== name)
      return `the destination does not tell its name from ${textOf(first)}. Rename one`;
    const target = links.get(name);
    return !isWindows || target === undefined || isWindowsTarget(target)
      ? undefined
      : `it is a link to ${textOf(target)}, a name that Windows cannot store`;
  };
}

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
