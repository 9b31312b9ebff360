/**
 * Groups the items to send into batches. A batch is sent as one archive, and a new folder whose
 * content is all in that batch is moved to its destination as a whole.
 */
import type { Bytes } from './ends.ts';
import { parentOf } from './names.ts';
import type { Plan } from './plan.ts';
import type { Entries } from './tree.ts';

export interface Batch {
  readonly files: readonly Bytes[];
  readonly links: readonly Bytes[];
  /**
   * New folders that are moved together with all their content. Subfolders precede their folder.
   */
  readonly folders: readonly Bytes[];
  /**
   * Items to move to the destination after all files have arrived. All other items of the batch are
   * inside one of these items.
   */
  readonly tops: readonly Bytes[];
  readonly sizeBytes: number;
}

export interface Batches {
  readonly batches: readonly Batch[];
  /** Files that are sent one by one. */
  readonly large: readonly Bytes[];
  /** New folders that must exist before the batches are moved, parents first. */
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

interface Draft {
  readonly names: Bytes[];
  sizeBytes: number;
  nameBytes: number;
}

const ownerWrites = 0o200;

export function batchesOf(plan: Plan, source: Entries, limits: BatchLimits): Batches {
  const wanted = new Set([...plan.files, ...plan.links, ...plan.folders]);
  const sizeOf = (name: Bytes): number => source.get(name)?.sizeBytes ?? 0;
  const isLarge = (name: Bytes): boolean =>
    source.get(name)?.kind === 'file' && sizeOf(name) >= limits.largeBytes;
  const drafts: Draft[] = [];
  const whole = new WholeFolders(plan.folders);
  for (const [name, { kind, mode }] of source) {
    if (!wanted.has(name)) continue;
    if (isLarge(name)) whole.split(parentOf(name));
    // A folder that its owner may not change cannot be moved together with its content.
    else if (kind === 'folder' && (name === '.' || (mode & ownerWrites) === 0)) whole.split(name);
    else {
      add(drafts, name, { sizeBytes: kind === 'file' ? sizeOf(name) : 0, limits });
      whole.place(kind === 'folder' ? name : parentOf(name), drafts.length);
    }
  }
  return {
    batches: drafts.map((draft, index) => batchOf(draft, source, whole.of(index + 1))),
    large: plan.files.filter(isLarge),
    folders: plan.folders.filter((name) => whole.isSplit(name)),
  };
}

function add(
  drafts: Draft[],
  name: Bytes,
  { sizeBytes, limits }: { readonly sizeBytes: number; readonly limits: BatchLimits },
): void {
  const nameBytes = name.length + 3;
  let last = drafts.at(-1);
  const fits =
    last !== undefined &&
    last.names.length < limits.files &&
    last.sizeBytes + sizeBytes <= limits.bytes &&
    last.nameBytes + nameBytes <= limits.nameBytes;
  if (last === undefined || !fits) drafts.push((last = { names: [], sizeBytes: 0, nameBytes: 0 }));
  last.names.push(name);
  last.sizeBytes += sizeBytes;
  last.nameBytes += nameBytes;
}

function batchOf(
  { names, sizeBytes }: Draft,
  source: Entries,
  isWhole: (folder: Bytes) => boolean,
): Batch {
  const ofKind = (kind: string): Bytes[] => names.filter((name) => source.get(name)?.kind === kind);
  const folders = ofKind('folder').filter(isWhole).reverse();
  const files = ofKind('file');
  const links = ofKind('link');
  const tops = [...files, ...links, ...folders].filter((name) => !isWhole(parentOf(name)));
  return { files, links, folders, tops, sizeBytes };
}

/** Finds out for each new folder whether all its content is in one batch. */
class WholeFolders {
  /** Folder → number of the batch with all its content; 0 if its content is in several batches. */
  readonly #batches: Map<Bytes, number | undefined>;

  constructor(folders: readonly Bytes[]) {
    this.#batches = new Map(folders.map((name) => [name, undefined]));
  }

  /** Records that a batch has content of a folder, and so of the folders above it. */
  place(folder: Bytes, batch: number): void {
    for (let name = folder; this.#batches.has(name); name = parentOf(name)) {
      const before = this.#batches.get(name);
      if (before === batch || before === 0) return;
      this.#batches.set(name, before === undefined ? batch : 0);
      if (name === '.') return;
    }
  }

  split(folder: Bytes): void {
    this.place(folder, 0);
  }

  isSplit(folder: Bytes): boolean {
    return this.#batches.get(folder) === 0;
  }

  of(batch: number): (folder: Bytes) => boolean {
    return (folder) => this.#batches.get(folder) === batch;
  }
}
