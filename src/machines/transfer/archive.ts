/**
 * Sends many small files as one archive, from tar on one machine to tar on the other. The files are
 * unpacked into a staging folder, and moved to their destination when all have arrived.
 */
import { shellQuote } from '../../base/text.ts';
import { bytesOf, failureAt, quoted, run, type Bytes, type Place } from './ends.ts';
import type { Batch } from './batches.ts';
import { parentOf } from './excludes.ts';
import { relay, type RelayEnded, type RelayOptions } from './relay.ts';
import { nulls, ownPrefix, type Tools } from './tree.ts';

export interface ArchiveEnds {
  readonly from: Place;
  readonly to: Place;
  readonly tools: { readonly from: Tools; readonly to: Tools };
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
 * Returns the script that unpacks an archive into a staging folder. The folder is removed unless
 * the archive arrives completely.
 */
const receiveScript = (path: string, staging: string): string =>
  [
    `cd -- ${shellQuote(path)} || exit 1`,
    // Remove old staging folders that a crash left behind.
    `find . -maxdepth 1 -name '${ownPrefix}*.d' -mtime +0 -exec rm -rf {} +`,
    `trap 'cd ..; rm -rf ${staging}' EXIT; trap 'exit 1' HUP INT TERM`,
    `umask 022; mkdir -m 700 ${staging} && cd ${staging} || exit 1`,
    'tar -xpof - || exit 1',
    `find . -type f \\( -perm -4000 -o -perm -2000 \\) -exec chmod ug-s {} +`,
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
  options: Pick<RelayOptions, 'signal' | 'onBytes'>,
): Promise<string> {
  const { to } = ends;
  try {
    const messages = await receive(ends, batch, staging, options);
    return (
      messages +
      (await run(to.machine, moveLines(to.path, staging, batch.tops), options.signal)).stderr
    );
  } catch (error) {
    const cleanup = run(to.machine, [`rm -rf -- ${quoted(bytesOf(`${to.path}/${staging}`))}`]);
    await cleanup.catch(() => undefined);
    throw error;
  }
}

async function receive(
  { from, to, tools }: ArchiveEnds,
  batch: Batch,
  staging: string,
  options: Pick<RelayOptions, 'signal' | 'onBytes'>,
): Promise<string> {
  const { source, target } = await relay(
    { machine: from.machine, script: packScript(from.path, tools.from, tools.to) },
    { machine: to.machine, script: receiveScript(to.path, staging) },
    { ...options, stdin: nulls(batch.names) },
  );
  if (target.code !== 0 || source === undefined) throw failureAt(to, target.stderr, 'write to');
  return complaint(source);
}

const complaint = ({ code, stderr }: RelayEnded): string => (code === 0 ? '' : stderr);

/** Sets times and permissions of folders, after their last file was added. */
export async function sendFolders(
  { from, to, tools }: ArchiveEnds,
  names: readonly Bytes[],
  options: Pick<RelayOptions, 'signal' | 'onBytes'>,
): Promise<void> {
  const limit = maxNameBytes(tools.from);
  for (let at = 0; at < names.length;) {
    let end = at;
    for (let bytes = 0; end < names.length && (end === at || bytes < limit); end++)
      bytes += (names[end]?.length ?? 0) + 3;
    await relay(
      { machine: from.machine, script: packScript(from.path, tools.from, tools.to) },
      { machine: to.machine, script: `cd -- ${shellQuote(to.path)} && exec tar -xpof -` },
      { ...options, stdin: nulls(names.slice(at, end)) },
    );
    at = end;
  }
}

/**
 * Returns shell lines that move the items from the staging folder to their destination. The
 * destination is always the parent folder: `mv` into a folder replaces a link that has the item's
 * name, and never follows that link.
 */
function moveLines(path: string, staging: string, tops: readonly Bytes[]): Bytes[] {
  const lines = [`cd -- ${bytesOf(shellQuote(path))} || exit 1`];
  const byParent = Map.groupBy(tops, parentOf);
  for (const [parent, names] of byParent)
    for (const words of lineful(names.map((name) => quoted(`${staging}/${name}`))))
      lines.push(`mv -f -- ${words} ${quoted(`./${parent}/`)}`);
  return [...lines, `rm -rf ${staging}`];
}

/**
 * Groups words so that each group fits into a command line on any system, in as few groups as
 * possible.
 */
export function lineful(words: readonly Bytes[]): Bytes[] {
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
