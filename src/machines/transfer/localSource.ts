/**
 * Reads files of a folder on this computer for a transfer. A program that replaces a folder by a
 * link in the meantime does not make it read outside the folder.
 */
import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fileFailure } from '../local/localFiles.ts';
import { MachineFailure } from '../machine.ts';
import { textOf, type Bytes } from './ends.ts';
import { baseOf, parentOf, pathIn } from './names.ts';
import { plainMode } from './plan.ts';
import type { Source } from './relay.ts';
import { tarEnd, tarHeader, tarPadding } from './tarHeader.ts';
import type { Entry } from './tree.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
const descriptors = '/proc/self/fd';
const hasDescriptors = fs.existsSync(descriptors);
const pieceBytes = 256 * 1024;
const read = promisify(fs.read);

const bytesIn = (path: Bytes): Buffer => Buffer.from(path, 'latin1');

/** A folder that was opened at its real path. */
class OpenFolder implements Disposable {
  readonly path: Bytes;
  readonly #descriptor: number;

  constructor(path: Bytes) {
    this.path = path;
    this.#descriptor = fs.openSync(bytesIn(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (this.#realPath() === path) return;
    this[Symbol.dispose]();
    throw new MachineFailure('denied', `Cannot read ${textOf(path)}: a link took its place.`);
  }

  #realPath(): Bytes {
    return hasDescriptors
      ? fs.readlinkSync(`${descriptors}/${this.#descriptor}`, 'latin1')
      : fs.realpathSync.native(textOf(this.path), 'latin1');
  }

  /** Opens a regular file, without waiting and without following a link. */
  open(base: Bytes): number {
    const folder = hasDescriptors ? `${descriptors}/${this.#descriptor}` : this.path;
    const file = fs.openSync(bytesIn(`${folder}/${base}`), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fs.fstatSync(file).isFile()) return file;
    fs.closeSync(file);
    throw new MachineFailure('denied', 'Cannot read it: it is not a regular file.');
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#descriptor);
  }
}

export interface LocalItems {
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
  ({ root, items, isPlain }: LocalItems): Source =>
  async (push, signal) => {
    const problems: string[] = [];
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    const flush = async (): Promise<void> => {
      await push(Buffer.concat(held));
      held = [];
      heldBytes = 0;
      await setImmediate();
    };
    for (const piece of archivePieces({ root, items, isPlain }, problems)) {
      if (signal.aborted) return undefined;
      held.push(piece);
      heldBytes += piece.length;
      if (heldBytes >= pieceBytes) await flush();
    }
    await flush();
    return { code: problems.length > 0 ? 1 : 0, stderr: problems.join('\n') };
  };

function* archivePieces(
  { root, items, isPlain }: LocalItems,
  problems: string[],
): Generator<Uint8Array> {
  using folders = new LastFolder();
  for (const [name, entry] of items) {
    const header = { ...entry, mode: plainMode(entry.mode) };
    try {
      if (entry.kind === 'folder') yield tarHeader(`./${name}/`, header, isPlain);
      else yield* filePieces(folders.at(pathIn(root, parentOf(name))), name, { header, isPlain });
    } catch (error) {
      problems.push(fileFailure(error, 'read', `./${textOf(name)}`).message);
    }
  }
  yield tarEnd;
}

function* filePieces(
  folder: OpenFolder,
  name: Bytes,
  { header, isPlain }: { readonly header: Entry; readonly isPlain: boolean },
): Generator<Uint8Array> {
  const file = folder.open(baseOf(name));
  try {
    yield tarHeader(`./${name}`, header, isPlain);
    for (let at = 0; at < header.sizeBytes; at += pieceBytes) {
      // The rest of a file that became shorter is filled with zeros.
      const piece = Buffer.alloc(Math.min(pieceBytes, header.sizeBytes - at));
      fs.readSync(file, piece, 0, piece.length, at);
      yield piece;
    }
    yield tarPadding(header.sizeBytes);
  } finally {
    fs.closeSync(file);
  }
}

/** Keeps the folder of the last file open: the next file is mostly in the same folder. */
class LastFolder implements Disposable {
  #folder: OpenFolder | undefined;

  at(path: Bytes): OpenFolder {
    if (this.#folder?.path === path) return this.#folder;
    this[Symbol.dispose]();
    return (this.#folder = new OpenFolder(path));
  }

  [Symbol.dispose](): void {
    this.#folder?.[Symbol.dispose]();
    this.#folder = undefined;
  }
}

/** Returns the content of a file, from an offset to its listed size. */
export const localContent =
  (
    root: Bytes,
    name: Bytes,
    { from, to }: { readonly from: number; readonly to: number },
  ): Source =>
  async (push, signal) => {
    let file: number;
    try {
      using folder = new OpenFolder(pathIn(root, parentOf(name)));
      file = folder.open(baseOf(name));
    } catch (error) {
      return { code: 1, stderr: fileFailure(error, 'read', textOf(name)).message };
    }
    try {
      for (let at = from; at < to; at += pieceBytes) {
        if (signal.aborted) return undefined;
        const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, to - at));
        const { bytesRead } = await read(file, buffer, 0, buffer.length, at);
        await push(buffer.subarray(0, bytesRead));
        if (bytesRead < buffer.length) break;
      }
      return { code: 0, stderr: '' };
    } finally {
      fs.closeSync(file);
    }
  };
