/** Writes files of a machine with its shell. */
import { shellQuote } from '../../base/text.ts';
import { blockBytes, sizeCode, type LastChanges, type Sink, type Writing } from './end.ts';
import { ask, bytesOf, failureAt, quoted, run, textOf, type Bytes, type Place } from './ends.ts';
import { baseOf, ownPrefix, parentOf, pathIn } from './names.ts';
import { enter, inParents, makeFolders, moveLines, placing, runIn, stampLine } from './placing.ts';
import { plainMode } from './plan.ts';
import type { Entry } from './tree.ts';

/** Returns a sink that a script reads as its input. */
const commandSink =
  ({ machine }: Place, script: string): Sink =>
  (stdin, signal) =>
    ask(machine, script, { stdin, signal });

const unpackScript = (path: string, staging: string): string =>
  [
    `${placing}\nat ${shellQuote(path)} || exit 1`,
    // Remove old staging folders that a crash left behind.
    `find . -maxdepth 1 -name '${ownPrefix}*.d' -mtime +0 -exec rm -rf {} +`,
    `trap 'cd ..; rm -rf ${staging}' EXIT; trap 'exit 1' HUP INT TERM`,
    `umask 022; mkdir -m 700 ${staging} && at ${shellQuote(textOf(pathIn(bytesOf(path), staging)))} || exit 1`,
    'tar -xpof - || exit 1',
    `find . ! -name . -print0 \\( -type f \\( -perm -4000 -o -perm -2000 \\) -exec chmod ug-s {} + -o ! -type f ! -type d -print0 \\)`,
    'trap - EXIT',
  ].join('\n');

/** Returns lines that create links in the staging folder. */
const linkLines = (staging: Bytes, links: readonly (readonly [Bytes, Bytes])[]): Bytes[] =>
  [...Map.groupBy(links, ([name]) => parentOf(name))].flatMap(([parent, group]) => [
    `at ${quoted(staging)} && mkdir -p -- ${quoted(`./${parent}`)} && cd -- ${quoted(`./${parent}`)} && {`,
    ...group.map(([name, target]) => `ln -s -- ${quoted(target)} ${quoted(`./${baseOf(name)}`)}`),
    '}',
  ]);

/** Returns the script of `writePart`. It writes no temporary file, because the disk may be full. */
const writeScript = (
  path: string,
  part: string,
  file: { readonly blocks: number; readonly sizeBytes: number },
): string =>
  [
    `${placing}\nmkdir -p -- ${shellQuote(path)} && at ${shellQuote(path)} || exit 1`,
    `find . -maxdepth 1 -name '${part.replace(/-[0-9a-f]+\.part$/, '-*.part')}' ! -name ${part} -exec rm -f {} +`,
    `umask 077; [ ! -L ${part} ] || rm -f ${part}`,
    ownLine(path, part),
    `said=$(dd bs=${blockBytes} seek=${file.blocks} conv=notrunc 2>&1 >&4); c=$?`,
    '[ $c = 0 ] || printf "%s\\n" "$said" >&2',
    `case $said in *[Nn]'o space'* | *[Qq]uota*) rm -f ${part} ;; esac`,
    '[ $c = 0 ] || exit 1',
    `[ "$(wc -c <$o)" -eq ${file.sizeBytes} ] || exit ${sizeCode}`,
  ].join('\n');

const ownLine = (path: string, part: string): string =>
  `exec 4<>${part} && opened ${shellQuote(textOf(pathIn(bytesOf(path), part)))} || exit 1`;

/**
 * Returns shell lines that set the time and the permissions of the complete partial file, and move
 * it to its destination. First moves the file, with its final name, into a temporary folder: `mv`
 * from there into the destination folder replaces a link that has the file's name, and never
 * follows that link.
 */
function placeLines(
  path: string,
  part: string,
  { name, entry }: { readonly name: Bytes; readonly entry: Entry },
): Bytes[] {
  const root = bytesOf(path);
  const folder = part.replace(/part$/, 'd');
  const staged = quoted(`${folder}/${baseOf(name)}`);
  const parent = quoted(pathIn(root, parentOf(name)));
  return [
    bytesOf(ownLine(path, part)),
    stampLine('$o', entry),
    `mkdir -m 700 ${folder} && mv -f -- ${part} ${staged} || exit 1`,
    `both ${quoted(pathIn(root, folder))} ${parent} && mv -f -- "$f"/${quoted(baseOf(name))} .; c=$?`,
    `at ${quoted(root)} || exit 1`,
    `[ $c = 0 ] || mv -f -- ${staged} ${part}`,
    `rmdir ${folder}; exit $c`,
  ];
}

function lastLines(root: Bytes, { folders, modes, extra }: LastChanges): Bytes[] {
  const byMode = Map.groupBy(modes, ([, { mode }]) => plainMode(mode));
  const namesOf = (items: LastChanges['modes']): Bytes[] => items.map(([name]) => name);
  const modeLine = (mode: number, words: Bytes): Bytes =>
    `find ${words} -prune -type f -exec chmod ${mode.toString(8)} {} +`;
  return [
    ...folders.map(
      ([name, entry]) => `at ${quoted(pathIn(root, name))} && { ${stampLine('.', entry)}; }`,
    ),
    ...[...byMode].flatMap(([mode, items]) =>
      inParents(root, namesOf(items), (words) => modeLine(mode, words)),
    ),
    ...extra.flatMap((name) =>
      inParents(root, [name], (word) => `{ rm -f -- ${word} 2>/dev/null || rmdir -- ${word}; }`),
    ),
  ];
}

export const shellWriting: Writing = {
  async makeFolders(place, names, signal) {
    const root = bytesOf(place.path);
    const lines = [`mkdir -p -- ${quoted(root)}`, enter(root), ...makeFolders(root, names)];
    const { stderr, code } = await run(place.machine, lines, signal);
    if (code !== 0) throw failureAt(place, stderr, 'create folders in');
  },
  unpack: (place, staging) => commandSink(place, unpackScript(place.path, staging)),
  async putInPlace(place, staging, { links, tops }, signal) {
    const root = bytesOf(place.path);
    const lines = [
      `[ -d ${staging} ] || mkdir -m 700 ${staging}`,
      ...linkLines(pathIn(root, staging), links),
      ...moveLines(root, staging, tops),
      `at ${quoted(root)} && rm -rf ${staging}`,
    ];
    return (await runIn(place, lines, signal)).stderr;
  },
  async discard(place, name) {
    await runIn(place, [`rm -rf -- ${name}`]);
  },
  writePart: (place, part, file) => commandSink(place, writeScript(place.path, part, file)),
  async placePart(place, part, file, signal) {
    const { code, stderr } = await runIn(place, placeLines(place.path, part, file), signal);
    return code === 0 ? undefined : stderr;
  },
  async complete(place, changes, signal) {
    const lines = lastLines(bytesOf(place.path), changes);
    return lines.length === 0 ? '' : (await runIn(place, lines, signal)).stderr;
  },
};
