/**
 * Sends a single file. An interrupted transfer resumes after the blocks that have already arrived.
 */
import { createHash } from 'node:crypto';
import { blockBytes, sizeCode } from './end.ts';
import { endOf } from './endOf.ts';
import { failureAt, type Bytes, type Place } from './ends.ts';
import { ownPrefix } from './names.ts';
import { relay, type RelayOptions } from './relay.ts';
import type { Entries, Entry, Tools } from './tree.ts';

export interface LargeFile {
  /** Folder that contains the source file. */
  readonly from: Place;
  /** Destination folder. */
  readonly to: Place;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  /** Name at the destination. */
  readonly name: Bytes;
  readonly sourceName: Bytes;
  readonly entry: Entry;
  /** Entries of the destination folder. */
  readonly there: Entries;
}

/**
 * Sends the file. Resolves with a message if only this file could not be sent, otherwise with
 * `undefined`. Rejects with `MachineFailure` if the whole transfer must stop.
 */
export async function sendLarge(
  file: LargeFile,
  options: RelayOptions,
): Promise<string | undefined> {
  const { from, to, sourceName, entry } = file;
  const { signal } = options;
  const [reading, writing] = [endOf(from.machine), endOf(to.machine)];
  const part = partName(file);
  const skipped = await blocksThere(file, part, signal);
  const total = Math.ceil(entry.sizeBytes / blockBytes);
  const { source, target } = await relay(
    {
      machine: from.machine,
      source: reading.content(from, sourceName, { skipped, total }),
      maxBytes: (total - skipped) * blockBytes,
    },
    writing.writePart(to, part, { blocks: skipped, sizeBytes: entry.sizeBytes }),
    options,
  );
  if (source?.code) return oneReason(source.stderr);
  if (target.code !== 0 && target.code !== sizeCode) throw failureAt(to, target.stderr, 'write to');
  const after = (await reading.list(from, { names: [sourceName], signal })).entries.get(sourceName);
  const hasChanged = after?.modified !== entry.modified || after.sizeBytes !== entry.sizeBytes;
  if (hasChanged || target.code === sizeCode) {
    await writing.discard(to, part);
    return 'it changed during the transfer: send it again when it no longer changes';
  }
  const problem = await writing.placePart(to, part, file, signal);
  return problem === undefined ? undefined : oneReason(problem);
}

/**
 * Returns the name of the partial file at the destination. The name depends on the size and the
 * time of the source file, so that a part of another version is never reused.
 */
function partName({ name, entry }: LargeFile): string {
  const version = `${entry.sizeBytes} ${entry.modified}`;
  return `${ownPrefix}${digest(name)}-${digest(version)}.part`;
}

const digest = (text: Bytes): string =>
  createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 16);

/**
 * Returns the number of whole blocks that an earlier attempt has sent; 0 if their content is not
 * equal to the source.
 */
async function blocksThere(
  { from, to, tools, sourceName, entry, there }: LargeFile,
  part: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const partEntry = there.get(part);
  if (partEntry?.kind !== 'file' || !tools.from.sum || !tools.to.sum) return 0;
  const blocks = Math.floor(Math.min(partEntry.sizeBytes, entry.sizeBytes) / blockBytes);
  if (blocks === 0) return 0;
  const [ours, theirs] = await Promise.all([
    endOf(from.machine).sumOfStart(from, { name: sourceName, blocks, tools: tools.from }, signal),
    endOf(to.machine).sumOfStart(to, { name: part, blocks, tools: tools.to }, signal),
  ]);
  return ours === theirs ? blocks : 0;
}

const oneReason = (stderr: string): string => stderr.trim().split('\n')[0] || 'unknown reason';
