/**
 * Sends many small files as one archive. The files are unpacked into a staging folder, and moved to
 * their destination when all have arrived.
 */
import { MachineFailure } from '../machine.ts';
import type { Batch } from './batches.ts';
import { endOf } from './endOf.ts';
import { failureAt, textOf, type Bytes, type Place } from './ends.ts';
import { parentOf } from './names.ts';
import { relay, type RelayOptions } from './relay.ts';
import type { Entries, Tools } from './tree.ts';

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
  const { discard, putInPlace } = endOf(to.machine);
  const hasArchive = batch.files.length + batch.folders.length > 0;
  try {
    const messages = hasArchive ? await receive(ends, batch, staging, options) : '';
    const items = {
      links: batch.links.map((name) => [name, links.get(name) ?? ''] as const),
      tops: batch.tops,
    };
    return messages + (await putInPlace(to, staging, items, options.signal));
  } catch (error) {
    await discard(to, staging).catch(() => undefined);
    throw error;
  }
}

async function receive(
  ends: ArchiveEnds,
  batch: Batch,
  staging: string,
  options: RelayOptions,
): Promise<string> {
  const { from, to, tools } = ends;
  const names = [...batch.files, ...batch.folders];
  const items = names.flatMap((name) => {
    const entry = ends.source.get(name);
    return entry ? [[name, entry] as const] : [];
  });
  const pack = endOf(from.machine).pack(from, items, tools);
  const { source, target } = await relay(
    { machine: from.machine, source: pack, maxBytes: maxBytesOf(batch, names) },
    endOf(to.machine).unpack(to, staging),
    options,
  );
  if (target.code !== 0 || source === undefined) throw failureAt(to, target.stderr, 'write to');
  assertListed(from, names, target.stdout);
  return source.code === 0 ? '' : source.stderr;
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
