/** Packs files of a folder on this computer for a transfer. */
import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileFailure } from '../local/localFiles.ts';
import type { Source } from './end.ts';
import { textOf, type Bytes } from './ends.ts';
import { baseOf, parentOf, pathIn } from './names.ts';
import { itemFailure, OpenFolder, type LocalSystem } from './openFolder.ts';
import { maxHeaderBytes, paddingAfter, tarEndBytes, writeTarHeader } from './tarHeader.ts';
import type { Entry } from './tree.ts';

const pieceBytes = 256 * 1024;

export interface LocalItems {
  readonly system: LocalSystem;
  /** Real path of the folder. */
  readonly root: Bytes;
  readonly items: readonly (readonly [name: Bytes, entry: Entry])[];
  /** True to store whole seconds only, which all versions of tar can read. */
  readonly isPlain: boolean;
}

/**
 * Returns the items as an archive. Items that cannot be read are omitted and named in `stderr`.
 * Reads are synchronous, in small pieces, because most files are small and in the cache.
 */
export const localArchive =
  (items: LocalItems): Source =>
  async (push, signal) => {
    const problems: string[] = [];
    try {
      for (const piece of archivePieces(items, problems)) {
        if (signal.aborted) return undefined;
        await push(piece);
        await setImmediate();
      }
    } catch (error) {
      // The receiver must not take an archive that ends in the middle of a file for a complete one.
      throw fileFailure(error, 'read', textOf(items.root));
    }
    return { code: problems.length > 0 ? 1 : 0, stderr: problems.join('\n') };
  };

function* archivePieces(
  { system, root, items, isPlain }: LocalItems,
  problems: string[],
): Generator<Uint8Array> {
  const attempt = <T>(open: () => T, names: readonly Bytes[]): T | undefined => {
    try {
      return open();
    } catch (error) {
      for (const name of names) problems.push(itemFailure(error, 'read', name));
      return undefined;
    }
  };
  const piece = new Piece();
  const files = items.filter(([, { kind }]) => kind === 'file');
  for (const [parent, group] of Map.groupBy(files, ([name]) => parentOf(name))) {
    const names = group.map(([name]) => name);
    using folder = attempt(() => new OpenFolder(system, pathIn(root, parent)), names);
    for (const [name, entry] of folder ? group : []) {
      const file = attempt(() => folder?.open(baseOf(name)), [name]);
      if (file === undefined) continue;
      yield* piece.file(file, `./${name}`, { ...entry, isPlain });
    }
  }
  for (const [name, entry] of items)
    if (entry.kind === 'folder') yield* piece.header(`./${name}/`, { ...entry, isPlain });
  yield* piece.zeros(tarEndBytes);
  yield piece.take();
}

type Header = Entry & { readonly isPlain: boolean };

/** Collects the parts of an archive. A method yields the current piece when it is full. */
class Piece {
  #bytes = Buffer.allocUnsafe(pieceBytes);
  #used = 0;

  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#used);
    this.#bytes = Buffer.allocUnsafe(pieceBytes);
    this.#used = 0;
    return bytes;
  }

  *header(name: Bytes, entry: Header): Generator<Uint8Array> {
    if (this.#used + maxHeaderBytes(name) > pieceBytes) yield this.take();
    this.#used = writeTarHeader(this.#bytes, this.#used, name, entry);
  }

  /** Adds a file, and closes it. If the file has become shorter, zeros replace the missing end. */
  *file(file: number, name: Bytes, entry: Header): Generator<Uint8Array> {
    const { sizeBytes } = entry;
    try {
      yield* this.header(name, entry);
      for (let at = 0; at < sizeBytes;) {
        if (this.#used === pieceBytes) yield this.take();
        const end = Math.min(pieceBytes, this.#used + sizeBytes - at);
        const read = fs.readSync(file, this.#bytes, this.#used, end - this.#used, at);
        this.#bytes.fill(0, this.#used + read, end);
        at += end - this.#used;
        this.#used = end;
      }
    } finally {
      fs.closeSync(file);
    }
    yield* this.zeros(paddingAfter(sizeBytes));
  }

  *zeros(count: number): Generator<Uint8Array> {
    if (this.#used + count > pieceBytes) yield this.take();
    this.#bytes.fill(0, this.#used, (this.#used += count));
  }
}
