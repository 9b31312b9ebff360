/**
 * Groups small files into batches. A batch is sent as one archive, and a new folder in it is moved
 * to its destination as a whole.
 */
import type { Bytes } from './ends.ts';
import { parentOf } from './excludes.ts';
import type { Plan } from './plan.ts';
import type { Entry } from './tree.ts';

export interface Batch {
  /** Files, in archive order. */
  readonly names: readonly Bytes[];
  /**
   * Items to move when all files have arrived: single files, and new folders with all their
   * content.
   */
  readonly tops: readonly Bytes[];
  readonly sizeBytes: number;
}

export interface Batches {
  readonly batches: readonly Batch[];
  /** Files sent one by one. */
  readonly large: readonly Bytes[];
  /** New folders that must exist before the batches are unpacked. */
  readonly folders: readonly Bytes[];
}

export interface BatchLimits {
  readonly files: number;
  readonly bytes: number;
  /** Total length of the names of a batch. */
  readonly nameBytes: number;
  /** Size from which a file is sent alone. */
  readonly largeBytes: number;
}

interface Item {
  readonly top: Bytes;
  readonly names: Bytes[];
  sizeBytes: number;
  nameBytes: number;
}

export function batchesOf(
  plan: Plan,
  source: ReadonlyMap<Bytes, Entry>,
  limits: BatchLimits,
): Batches {
  const sizeOf = (name: Bytes): number => source.get(name)?.sizeBytes ?? 0;
  const large = plan.files.filter((name) => sizeOf(name) >= limits.largeBytes);
  const small = plan.files.filter((name) => sizeOf(name) < limits.largeBytes);
  const tops = topsOf(plan, sizeOf, limits);
  const items = new Map<Bytes, Item>();
  for (const name of small) {
    const top = tops.get(parentOf(name)) ?? name;
    const item = items.get(top) ?? { top, names: [], sizeBytes: 0, nameBytes: 0 };
    items.set(top, item);
    item.names.push(name);
    item.sizeBytes += sizeOf(name);
    item.nameBytes += name.length + 3;
  }
  const isPlaced = (folder: Bytes): boolean => tops.has(folder);
  return {
    batches: packed([...items.values()], limits),
    large,
    folders: plan.folders.filter((folder) => !isPlaced(folder)),
  };
}

/**
 * Decides which new folders are moved as a whole: those whose complete content fits into one batch.
 * Maps each of these folders to the topmost folder of the move, which is itself or a parent.
 */
function topsOf(
  plan: Plan,
  sizeOf: (name: Bytes) => number,
  limits: BatchLimits,
): ReadonlyMap<Bytes, Bytes> {
  const isNew = new Set(plan.folders);
  const load = new Map<Bytes, { files: number; bytes: number; nameBytes: number }>();
  for (const name of plan.files) {
    for (let folder = parentOf(name); isNew.has(folder); folder = parentOf(folder)) {
      const sum = load.get(folder) ?? { files: 0, bytes: 0, nameBytes: 0 };
      const bytes = sizeOf(name);
      load.set(folder, {
        files: sum.files + 1,
        bytes: sum.bytes + (bytes >= limits.largeBytes ? Infinity : bytes),
        nameBytes: sum.nameBytes + name.length + 3,
      });
      if (folder === '.') break;
    }
  }
  const tops = new Map<Bytes, Bytes>();
  for (const folder of plan.folders) {
    const sum = load.get(folder);
    const above = tops.get(parentOf(folder));
    if (folder === '.' || sum === undefined) continue;
    const fits =
      sum.files <= limits.files && sum.bytes <= limits.bytes && sum.nameBytes <= limits.nameBytes;
    if (above !== undefined) tops.set(folder, above);
    else if (fits) tops.set(folder, folder);
  }
  return tops;
}

function packed(items: readonly Item[], limits: BatchLimits): Batch[] {
  const batches: { names: Bytes[]; tops: Bytes[]; sizeBytes: number; nameBytes: number }[] = [];
  for (const item of items) {
    let last = batches.at(-1);
    const fits =
      last !== undefined &&
      last.names.length + item.names.length <= limits.files &&
      last.sizeBytes + item.sizeBytes <= limits.bytes &&
      last.nameBytes + item.nameBytes <= limits.nameBytes;
    if (last === undefined || !fits) {
      last = { names: [], tops: [], sizeBytes: 0, nameBytes: 0 };
      batches.push(last);
    }
    last.names.push(...item.names);
    last.tops.push(item.top);
    last.sizeBytes += item.sizeBytes;
    last.nameBytes += item.nameBytes;
  }
  return batches;
}
