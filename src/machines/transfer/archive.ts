/**
 * Sends many small files as one archive, from tar on one machine to tar on the other. The files are
 * unpacked into a staging folder, and moved to their destination when all have arrived.
 */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import type { Batch } from './batches.ts';
import { bytesOf, failureAt, quoted, textOf, type Bytes, type Place } from './ends.ts';
import { localArchive } from './localSource.ts';
import { baseOf, ownPrefix, parentOf, pathIn } from './names.ts';
import { moveLines, placing, runIn } from './placing.ts';
import { commandSource, relay, type RelayOptions, type Source } from './relay.ts';
import { nulls, type Entries, type Tools } from './tree.ts';

export interface ArchiveEnds {
  readonly from: Place;
  readonly to: Place;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  readonly source: Entries;
  readonly links: ReadonlyMap<Bytes, Bytes>;
}

/**
 * Returns the maximum total length of the names in a batch. Limited for busybox, because all names
 * are then arguments of one command.
 */
export const maxNameBytes = (tools: Tools): number =>
  tools.tar === 'busybox' ? 24 * 1024 : Infinity;

function packScript(path: string, own: Tools, other: Tools): string {
  // busybox supports neither POSIX headers nor fractions of seconds.
  const isPlain = other.tar === 'busybox';
  const format = {
    gnu: isPlain ? '--format=gnu' : '--format=posix --pax-option=delete=atime,delete=ctime',
    bsd: isPlain ? '--format=gnutar' : '--format=pax',
    busybox: '',
  }[own.tar];
  const tar =
    own.tar === 'busybox'
      ? 'exec xargs -0 tar --no-recursion -cf -'
      : `exec env COPYFILE_DISABLE=1 tar ${format} -b 256 --no-recursion --null -cf - -T -`;
  return `cd -- ${shellQuote(path)} || exit 1\n${tar}`;
}

/**
 * Returns the script that unpacks an archive of files and folders into a new staging folder, and
 * prints the name of each item; the names of items that are neither files nor folders, such as
 * links, twice. The script removes the folder unless the whole archive arrives.
 */
const receiveScript = (path: string, staging: string): string =>
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

/**
 * Sends a batch. Resolves with the error messages of both machines about single files. Rejects with
 * `MachineFailure`; files that were not moved to their destination are then removed.
 */
export async function sendBatch(
  ends: ArchiveEnds,
  batch: Batch,
  staging: string,
  options: RelayOptions,
): Promise<string> {
  const { to, links } = ends;
  const root = bytesOf(to.path);
  const hasArchive = batch.files.length + batch.folders.length > 0;
  try {
    const messages = hasArchive ? await receive(ends, batch, staging, options) : '';
    const lines = [
      ...(hasArchive ? [] : [`mkdir -m 700 ${staging}`]),
      ...linkLines(pathIn(root, staging), batch.links, links),
      ...moveLines(root, staging, batch.tops),
      `at ${quoted(root)} && rm -rf ${staging}`,
    ];
    return messages + (await runIn(to, lines, options.signal)).stderr;
  } catch (error) {
    await runIn(to, [`rm -rf ${staging}`]).catch(() => undefined);
    throw error;
  }
}

async function receive(
  ends: ArchiveEnds,
  batch: Batch,
  staging: string,
  options: RelayOptions,
): Promise<string> {
  const { from, to } = ends;
  const names = [...batch.files, ...batch.folders];
  const { source, target } = await relay(
    { machine: from.machine, source: sourceOf(ends, names), maxBytes: maxBytesOf(batch, names) },
    { machine: to.machine, script: receiveScript(to.path, staging) },
    options,
  );
  if (target.code !== 0 || source === undefined) throw failureAt(to, target.stderr, 'write to');
  assertListed(from, names, target.stdout);
  return source.code === 0 ? '' : source.stderr;
}

function sourceOf({ from, tools, source }: ArchiveEnds, names: readonly Bytes[]): Source {
  const { machine, path } = from;
  if (machine.kind !== 'local')
    return commandSource(machine, packScript(path, tools.from, tools.to), nulls(names));
  return localArchive({
    root: bytesOf(path),
    items: names.flatMap((name) => {
      const entry = source.get(name);
      return entry ? [[name, entry] as const] : [];
    }),
    isPlain: tools.to.tar === 'busybox',
  });
}

/** Returns the maximum size of the archive: headers take up to 4 KiB and the name three times. */
const maxBytesOf = ({ sizeBytes }: Batch, names: readonly Bytes[]): number =>
  names.reduce((sum, name) => sum + 4096 + 3 * name.length, sizeBytes + 2 ** 20);

/** Throws `MachineFailure` if an archive had an item that the source did not list. */
function assertListed(from: Place, names: readonly Bytes[], unpacked: Bytes): void {
  const listed = new Set(names);
  for (const name of names)
    for (let folder = parentOf(name); !listed.has(folder); folder = parentOf(folder))
      listed.add(folder);
  const problem = unpacked.split('\0').find((name) => name !== '' && !listed.delete(name.slice(2)));
  if (problem === undefined) return;
  const item = JSON.stringify(textOf(problem.slice(2)));
  throw new MachineFailure(
    'io',
    `The archive from ${from.machine.id} contains ${item}, which was not requested. No file of this archive was kept.`,
  );
}

/** Returns lines that create links in the staging folder. */
const linkLines = (
  staging: Bytes,
  names: readonly Bytes[],
  links: ReadonlyMap<Bytes, Bytes>,
): Bytes[] =>
  [...Map.groupBy(names, parentOf)].flatMap(([parent, group]) => [
    `at ${quoted(staging)} && mkdir -p -- ${quoted(`./${parent}`)} && cd -- ${quoted(`./${parent}`)} && {`,
    ...group.map(
      (name) => `ln -s -- ${quoted(links.get(name) ?? '')} ${quoted(`./${baseOf(name)}`)}`,
    ),
    '}',
  ]);
