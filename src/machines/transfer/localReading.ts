/** Reads files of this computer for a transfer, without commands. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { blockBytes, type Found, type Reading, type Source } from './end.ts';
import { bytesOf, type Bytes, type Place } from './ends.ts';
import { localArchive } from './localSource.ts';
import { listLocal } from './localTree.ts';
import { baseOf, parentOf, pathIn } from './names.ts';
import {
  inFolders,
  isWindows,
  itemFailure,
  OpenFolder,
  slashed,
  type LocalSystem,
} from './openFolder.ts';

const readInto = promisify(fs.read);
const pieceBytes = 512 * 1024;

class OpenFile implements Disposable {
  readonly #file: number;
  readonly #endBytes: number;
  #at: number;

  constructor(file: number, startBytes = 0, endBytes = Infinity) {
    this.#file = file;
    this.#at = startBytes;
    this.#endBytes = endBytes;
  }

  /** Resolves with the next bytes; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, this.#endBytes - this.#at));
    const { bytesRead } = await readInto(this.#file, piece, 0, piece.length, this.#at);
    this.#at += bytesRead;
    return bytesRead === 0 ? undefined : piece.subarray(0, bytesRead);
  }

  async sum(signal: AbortSignal | undefined): Promise<string> {
    const hash = createHash('sha256');
    for (let piece = await this.next(); piece; piece = await this.next()) {
      signal?.throwIfAborted();
      hash.update(piece);
    }
    return hash.digest('hex');
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#file);
  }
}

function openIn(system: LocalSystem, { path }: Place, name: Bytes): number {
  using folder = new OpenFolder(system, pathIn(bytesOf(path), parentOf(name)));
  return folder.open(baseOf(name));
}

/** Returns part of a file as content. A file that cannot be read ends it, with the reason. */
const contentOf =
  (name: Bytes, open: () => OpenFile): Source =>
  async (push, signal) => {
    let isPushed = true;
    try {
      using file = open();
      for (let piece = await file.next(); piece; piece = await file.next()) {
        if (signal.aborted) return undefined;
        isPushed = false;
        await push(piece);
        isPushed = true;
      }
      return { code: 0, stderr: '' };
    } catch (error) {
      if (!isPushed) throw error;
      return { code: 1, stderr: itemFailure(error, 'read', name) };
    }
  };

/** Returns the target of a link with slashes. A target with a drive becomes an absolute path. */
const linkText = (system: LocalSystem, target: Bytes): Bytes =>
  isWindows(system) ? slashed(system, target).replace(/^(?=[A-Za-z]:)/, '/') : target;

type ReadItem = (folder: OpenFolder, base: Bytes) => Bytes | Promise<Bytes>;

/** Resolves with what `read` returns for each name; omits items for which it fails. */
async function found(
  work: { readonly system: LocalSystem; readonly place: Place },
  names: readonly Bytes[],
  read: ReadItem,
  signal?: AbortSignal,
): Promise<Found> {
  const texts = new Map<Bytes, Bytes>();
  const { system, place } = work;
  const options = { system, root: bytesOf(place.path), operation: 'read', signal };
  await inFolders(options, names, async (folder, name) => {
    texts.set(name, await read(folder, baseOf(name)));
  });
  return texts;
}

export const localReading = (system: LocalSystem): Reading => ({
  list: (place, listing) => listLocal(system, place, listing),
  readLinks(place, names, signal) {
    const read: ReadItem = (folder, base) =>
      linkText(system, fs.readlinkSync(folder.at(base), 'buffer').toString('latin1'));
    return found({ system, place }, names, read, signal);
  },
  readTexts(place, names, signal) {
    const read: ReadItem = (folder, base) => {
      const file = folder.open(base);
      try {
        return fs.readFileSync(file, 'latin1');
      } finally {
        fs.closeSync(file);
      }
    };
    return found({ system, place }, names, read, signal);
  },
  checksums(place, _tools, names, signal) {
    const read: ReadItem = async (folder, base) => {
      using file = new OpenFile(folder.open(base));
      return await file.sum(signal);
    };
    return found({ system, place }, names, read, signal);
  },
  pack: ({ path }, items, { to }) =>
    localArchive({ system, root: bytesOf(path), items, isPlain: to.tar === 'busybox' }),
  content(place, name, { skipped, total }) {
    const open = (): OpenFile =>
      new OpenFile(openIn(system, place, name), skipped * blockBytes, total * blockBytes);
    return contentOf(name, open);
  },
  async sumOfStart(place, { name, blocks }, signal) {
    using file = new OpenFile(openIn(system, place, name), 0, blocks * blockBytes);
    return await file.sum(signal);
  },
});
