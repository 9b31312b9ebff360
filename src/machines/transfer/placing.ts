/**
 * Shell lines that change items at the destination. Each line works inside a folder that was
 * entered by its real path, on names in that folder, so that a link that replaces a folder is not
 * followed.
 */
import { bytesOf, quoted, run, type Answer, type Bytes, type Place } from './ends.ts';
import { baseOf, parentOf, pathIn } from './names.ts';
import { plainMode } from './plan.ts';
import type { Entry } from './tree.ts';

/**
 * Shell functions. `at PATH` enters a folder if PATH is its real path. `both FROM TO` enters TO,
 * and sets `f` to a path of FROM that stays valid when FROM is renamed. `opened PATH` checks that
 * descriptor 4 is the file in the current folder whose real path is PATH, and sets `o` to a path of
 * that file.
 */
export const placing = `
at() {
  cd -P -- "$1" || return
  [ "$(env pwd -P && echo x)" != "$1
x" ] || return 0
  cd /
  swapped "$1"
}
both() { at "$1" && exec 3<. && at "$2" && { f=/proc/self/fd/3; [ -e $f/. ] || f=$1; }; }
opened() {
  o=/proc/self/fd/4
  if [ -e $o ]; then
    [ "$(readlink $o && echo x)" != "$1
x" ] || return 0
  else
    o=./\${1##*/}
    [ -L "$o" ] || return 0
  fi
  swapped "$1"
}
swapped() { printf '%s: a link took its place\\n' "$1" >&2; return 1; }`;

/** Enters the folder of a place; otherwise the script fails. */
export const enter = (path: Bytes): Bytes => `${placing}\nat ${quoted(path)} || exit 1`;

/** Runs lines in a folder of the destination. */
export const runIn = (
  { machine, path }: Place,
  lines: readonly Bytes[],
  signal?: AbortSignal,
): Promise<Answer> => run(machine, [enter(bytesOf(path)), ...lines], signal);

/**
 * Returns lines that run a command in the parent folder of each name. The command gets the names in
 * that folder as words.
 */
export const inParents = (
  root: Bytes,
  names: readonly Bytes[],
  command: (words: Bytes) => Bytes,
): Bytes[] =>
  [...Map.groupBy(names, parentOf)].flatMap(([parent, group]) =>
    lineful(group.map((name) => quoted(`./${baseOf(name)}`))).map(
      (words) => `at ${quoted(pathIn(root, parent))} && ${command(words)}`,
    ),
  );

export const makeFolders = (root: Bytes, names: readonly Bytes[]): Bytes[] =>
  inParents(
    root,
    names.filter((name) => name !== '.'),
    (words) => `mkdir -- ${words}`,
  );

/**
 * Returns lines that move items from a staging folder to their destination. The destination is
 * always the current folder: `mv` into a folder replaces a link that has the item's name, and never
 * follows that link.
 */
export const moveLines = (root: Bytes, staging: Bytes, names: readonly Bytes[]): Bytes[] =>
  [...Map.groupBy(names, parentOf)].flatMap(([parent, group]) =>
    lineful(group.map((name) => `"$f"/${quoted(baseOf(name))}`)).map(
      (words) =>
        `both ${quoted(pathIn(pathIn(root, staging), parent))} ${quoted(pathIn(root, parent))} && mv -f -- ${words} .`,
    ),
  );

/** Returns a line that sets the time and the permissions of an item. `path` is a shell word. */
export function stampLine(path: string, { modified, mode }: Entry): Bytes {
  const [seconds = '', nanos = ''] = modified.split('.');
  const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const stamp = iso.replace(/[-T:]/g, '').replace(/(..)$/, '.$1');
  return (
    `{ touch -d ${iso}.${nanos}Z ${path} || TZ=UTC touch -t ${stamp} ${path}; } 2>/dev/null; ` +
    `chmod ${plainMode(mode).toString(8)} ${path}`
  );
}

/**
 * Groups words so that each group fits into a command line on any system, in as few groups as
 * possible.
 */
function lineful(words: readonly Bytes[]): Bytes[] {
  const groups: Bytes[][] = [];
  let length = Infinity;
  for (const word of words) {
    if (length + word.length > 60_000) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(word);
    length += word.length + 1;
  }
  return groups.map((group) => group.join(' '));
}
