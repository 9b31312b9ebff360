/**
 * Excludes files from a transfer: by patterns in .gitignore syntax, and by the .gitignore files in
 * the sent folder.
 */
import ignore, { type Ignore } from 'ignore';
import { bytesOf, type Bytes } from './ends.ts';
import { ownPrefix, parentOf } from './names.ts';
import type { Entries, Entry } from './tree.ts';

export interface ExcludeRules {
  readonly patterns: readonly string[];
  /** Content of .gitignore files by name. */
  readonly gitignores: ReadonlyMap<Bytes, Bytes>;
}

export const isGitignore = (name: Bytes): boolean =>
  name === '.gitignore' || name.endsWith('/.gitignore');

/**
 * Returns the names of folders whose content need not be listed, because a simple pattern excludes
 * the folder. Empty if there is a `!` pattern, which may include an item again.
 */
export function closedNames(patterns: readonly string[]): readonly string[] {
  const isSimple = (pattern: string): boolean => /^[A-Za-z0-9_.@-]+\/?$/.test(pattern);
  return patterns.some((pattern) => pattern.startsWith('!'))
    ? []
    : patterns.filter(isSimple).map((pattern) => pattern.replace('/', ''));
}

/**
 * Returns the entries that are not excluded, and the names of the excluded entries. An excluded
 * folder is named without its content.
 */
export function withoutExcluded(
  entries: Entries,
  { patterns, gitignores }: ExcludeRules,
): { readonly kept: Map<Bytes, Entry>; readonly excluded: readonly Bytes[] } {
  const patternMatcher = matcher(patterns.map(bytesOf).join('\n'));
  const byFolder = new Map([...gitignores].map(([name, text]) => [parentOf(name), matcher(text)]));
  const isExcluded = (name: Bytes, isFolder: boolean): boolean =>
    (patterns.length > 0 && patternMatcher.ignores(isFolder ? `${name}/` : name)) ||
    isIgnored(byFolder, name, isFolder);
  const kept = new Map<Bytes, Entry>();
  const excluded: Bytes[] = [];
  const omittedNames = new Set<Bytes>();
  for (const [name, entry] of entries) {
    if (name === '.') kept.set(name, entry);
    else if (omittedNames.has(parentOf(name)) || name.startsWith(ownPrefix)) omittedNames.add(name);
    else if (isExcluded(name, entry.kind === 'folder')) {
      omittedNames.add(name);
      excluded.push(name);
    } else kept.set(name, entry);
  }
  return { kept, excluded };
}

/**
 * Returns whether .gitignore files exclude an item. As in git, the closest .gitignore file with a
 * matching rule decides.
 */
function isIgnored(byFolder: ReadonlyMap<Bytes, Ignore>, name: Bytes, isFolder: boolean): boolean {
  if (byFolder.size === 0) return false;
  for (let folder = parentOf(name); ; folder = parentOf(folder)) {
    const below = folder === '.' ? name : name.slice(folder.length + 1);
    const result = byFolder.get(folder)?.test(isFolder ? `${below}/` : below);
    if (result?.ignored) return true;
    if (result?.unignored || folder === '.') return false;
  }
}

const matcher = (text: string): Ignore => ignore({ ignorecase: false }).add(text);
