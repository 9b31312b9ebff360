/**
 * Finds Git repositories among the items of a transfer by their content, not by their names. A
 * repository is a risk, because git starts programs that the repository's settings and hooks name.
 */
import type { Bytes } from './ends.ts';
import { baseOf, parentOf } from './names.ts';
import type { Entries } from './tree.ts';

/** Names of the files and folders by which git recognises a repository. */
const marks = ['HEAD', 'objects', 'refs', 'commondir'];

/** Returns the names that decide whether the folders of `entries` are repositories. */
export const decidingNames = (entries: Entries): readonly Bytes[] =>
  [...entries].flatMap(([name, { kind }]) =>
    kind === 'folder' ? marks.map((mark) => (name === '.' ? mark : `${name}/${mark}`)) : [],
  );

/**
 * Returns the folders that are repositories when the items of all sides are combined. Ignores case,
 * because some file systems do.
 */
export function repositoriesIn(...sides: readonly Entries[]): ReadonlySet<Bytes> {
  const found = new Map<Bytes, Set<string>>();
  for (const name of sides.flatMap((entries) => [...entries.keys()])) {
    const mark = marks.find((one) => one.toLowerCase() === baseOf(name).toLowerCase());
    if (mark === undefined) continue;
    const folder = parentOf(name);
    found.set(folder, (found.get(folder) ?? new Set()).add(mark));
  }
  const isRepository = (held: ReadonlySet<string>): boolean =>
    held.has('HEAD') && (held.has('commondir') || (held.has('objects') && held.has('refs')));
  return new Set([...found].flatMap(([folder, held]) => (isRepository(held) ? [folder] : [])));
}

/** Returns whether an item is one of the folders or below one. */
export function isIn(folders: ReadonlySet<Bytes>, name: Bytes): boolean {
  if (folders.size === 0) return false;
  for (let at = name; at !== '.'; at = parentOf(at)) if (folders.has(at)) return true;
  return folders.has('.');
}
