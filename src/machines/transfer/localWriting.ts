/** Writes files of this computer for a transfer, without commands. */
import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { codeOf } from '../../base/errors.ts';
import { makeFolders } from '../../base/folders.ts';
import { removeFile, replaceFile } from '../../base/heldFiles.ts';
import { fileFailure } from '../local/localFiles.ts';
import { MachineFailure } from '../machine.ts';
import { blockBytes, sizeCode, type LastChanges, type Sink, type Writing } from './end.ts';
import { bytesOf, placeText, type Answer, type Bytes, type Place } from './ends.ts';
import { baseOf, ownPrefix, parentOf, pathIn } from './names.ts';
import {
  inFolders,
  isWindows,
  itemFailure,
  nodePath,
  OpenFolder,
  stamp,
  type LocalSystem,
} from './openFolder.ts';
import { plainMode } from './plan.ts';
import { TarFailure, TarReader } from './tarReader.ts';
import type { Entry } from './tree.ts';
import { Unpacking } from './unpacking.ts';

const writeFrom = promisify(fs.write);
const { O_RDWR, O_CREAT } = fs.constants;
/** Age from which a staging folder belongs to a transfer that has crashed. */
const oldMs = 24 * 60 * 60 * 1000;
/** Number of bytes that are written at once. */
const pieceBytes = 512 * 1024;

interface Here {
  readonly system: LocalSystem;
  readonly place: Place;
}

const openIn = ({ system, place }: Here, name: Bytes = '.'): OpenFolder =>
  new OpenFolder(system, pathIn(bytesOf(place.path), name));

const workIn = ({ system, place }: Here, signal?: AbortSignal) => ({
  system,
  root: bytesOf(place.path),
  operation: 'write',
  signal,
});

const answer = (code: number, names: readonly Bytes[] = []): Answer => ({
  code,
  stdout: names.map((name) => `./${name}\0`).join(''),
  stderr: '',
});

/** Converts an error to the failure of a whole transfer. */
function failureIn({ place }: Here, error: unknown, operation: string): MachineFailure {
  if (!(error instanceof TarFailure)) return fileFailure(error, operation, placeText(place));
  return new MachineFailure(
    'io',
    `The archive for ${placeText(place)} cannot be unpacked: ${error.message}. Retry the transfer.`,
  );
}

const remove = (folder: OpenFolder, name: Bytes): void =>
  fs.rmSync(folder.at(name), { recursive: true, force: true });

function removeOldStaging(folder: OpenFolder): void {
  for (const name of fs.readdirSync(folder.at('.'))) {
    if (!name.startsWith(ownPrefix) || !name.endsWith('.d')) continue;
    const { mtimeMs } = fs.lstatSync(folder.at(name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && Date.now() - mtimeMs > oldMs) remove(folder, name);
  }
}

const unpack =
  (here: Here, staging: string): Sink =>
  async (input, signal) => {
    try {
      using root = openIn(here);
      removeOldStaging(root);
      fs.mkdirSync(root.at(staging), { mode: 0o700 });
      try {
        using folder = openIn(here, staging);
        return answer(0, await unpacked(here, folder, input, signal));
      } catch (error) {
        remove(root, staging);
        throw error;
      }
    } catch (error) {
      throw failureIn(here, error, 'write to');
    }
  };

/** Unpacks an archive into an empty folder. Resolves with the names of its items. */
async function unpacked(
  { system }: Here,
  folder: OpenFolder,
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<readonly Bytes[]> {
  using unpacking = new Unpacking(system, folder);
  const reader = new TarReader(unpacking);
  for await (const piece of input) {
    signal.throwIfAborted();
    folder.verify();
    reader.push(piece);
  }
  reader.end();
  unpacking.complete();
  return unpacking.names;
}

type Items = Parameters<Writing['putInPlace']>[2];

async function putInPlace(
  here: Here,
  staging: string,
  { links, tops }: Items,
  signal?: AbortSignal,
): Promise<string> {
  using root = openIn(here);
  if (links.length > 0) fs.mkdirSync(root.at(staging), { recursive: true, mode: 0o700 });
  const problems = makeLinks(here, staging, links);
  const moved = await inFolders(workIn(here, signal), tops, async (folder, name) => {
    using from = openIn(here, parentOf(name) === '.' ? staging : `${staging}/${parentOf(name)}`);
    await replaceFile(from.at(baseOf(name)), folder.at(baseOf(name)));
    from.verify();
  });
  remove(root, staging);
  return [...problems, ...moved].join('\n');
}

/** Creates links in the staging folder. Their targets may not exist yet. */
function makeLinks(here: Here, staging: string, links: Items['links']): string[] {
  if (links.length === 0) return [];
  using folder = openIn(here, staging);
  const { system } = here;
  return links.flatMap(([name, target]) => {
    try {
      fs.mkdirSync(folder.at(parentOf(name)), { recursive: true, mode: 0o755 });
      const text = isWindows(system) ? target.replaceAll('/', '\\') : target;
      fs.symlinkSync(nodePath(system, text), folder.at(name));
      folder.verify();
      return [];
    } catch (error) {
      return [itemFailure(error, 'create', name)];
    }
  });
}

const writePart =
  (here: Here, part: string, file: { readonly blocks: number; readonly sizeBytes: number }): Sink =>
  async (input, signal) => {
    try {
      await makeFolders(here.place.path);
      using root = openIn(here);
      removeOtherParts(root, part);
      using open = new Part(root, part, file.blocks * blockBytes);
      try {
        for await (const piece of input) {
          signal.throwIfAborted();
          await open.add(piece);
        }
        await open.flush();
      } catch (error) {
        if (['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) remove(root, part);
        throw error;
      }
      return answer(open.sizeBytes === file.sizeBytes ? 0 : sizeCode);
    } catch (error) {
      throw failureIn(here, error, 'write to');
    }
  };

/** Removes parts of other versions of the file, and a link that has the name of the part. */
function removeOtherParts(root: OpenFolder, part: string): void {
  const start = part.replace(/-[0-9a-f]+\.part$/, '-');
  for (const name of fs.readdirSync(root.at('.'))) {
    if (!name.startsWith(start) || !name.endsWith('.part')) continue;
    if (name !== part || fs.lstatSync(root.at(name)).isSymbolicLink()) remove(root, name);
  }
}

/** A partial file that is open for writing. */
class Part implements Disposable {
  readonly #file: number;
  #at: number;
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(root: OpenFolder, name: string, startBytes: number) {
    this.#file = root.open(name, O_RDWR | O_CREAT);
    this.#at = startBytes;
  }

  get sizeBytes(): number {
    return fs.fstatSync(this.#file).size;
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes >= pieceBytes) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#heldBytes = 0;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await writeFrom(
        this.#file,
        bytes,
        done,
        bytes.length - done,
        this.#at,
      );
      done += bytesWritten;
      this.#at += bytesWritten;
    }
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#file);
  }
}

async function placePart(
  here: Here,
  part: string,
  { name, entry }: { readonly name: Bytes; readonly entry: Entry },
): Promise<string | undefined> {
  try {
    using root = openIn(here);
    using parent = openIn(here, parentOf(name));
    const file = root.open(part, O_RDWR);
    try {
      stamp(here.system, file, entry);
    } finally {
      fs.closeSync(file);
    }
    await replaceFile(root.at(part), parent.at(baseOf(name)));
    parent.verify();
    return undefined;
  } catch (error) {
    return itemFailure(error, 'write', name);
  }
}

async function complete(
  here: Here,
  { folders, modes, extra }: LastChanges,
  signal?: AbortSignal,
): Promise<string> {
  const work = workIn(here, signal);
  const stamps = new Map(folders);
  const modeOf = new Map(modes.map(([name, { mode }]) => [name, plainMode(mode)]));
  const names = [...stamps.keys()];
  const problems = [
    ...(await inFolders(work, names, (_parent, name) => {
      using folder = openIn(here, name);
      const entry = stamps.get(name);
      if (entry) stamp(here.system, folder.at('.'), entry);
    })),
    ...(await inFolders(work, [...modeOf.keys()], (folder, name) => {
      const file = folder.open(baseOf(name));
      fs.fchmodSync(file, modeOf.get(name) ?? 0o644);
      fs.closeSync(file);
    })),
  ];
  // Run one at a time, because the content precedes its folder.
  for (const name of extra)
    problems.push(...(await inFolders(work, [name], (folder) => drop(folder, baseOf(name)))));
  return problems.join('\n');
}

/** Deletes an item, but no folder that has content. */
async function drop(folder: OpenFolder, base: Bytes): Promise<void> {
  const path = folder.at(base);
  if (fs.lstatSync(path).isDirectory()) fs.rmdirSync(path);
  else await removeFile(path);
}

export const localWriting = (system: LocalSystem): Writing => ({
  async makeFolders(place, names, signal) {
    const here = { system, place };
    try {
      await makeFolders(here.place.path);
      using root = openIn(here);
      root.verify();
    } catch (error) {
      throw failureIn(here, error, 'create folders in');
    }
    const below = names.filter((name) => name !== '.');
    await inFolders(workIn(here, signal), below, (folder, name) =>
      fs.mkdirSync(folder.at(baseOf(name))),
    );
  },
  unpack: (place, staging) => unpack({ system, place }, staging),
  putInPlace: (place, staging, items, signal) =>
    putInPlace({ system, place }, staging, items, signal),
  discard: (place, name) =>
    Promise.resolve().then(() => {
      using root = openIn({ system, place });
      remove(root, name);
    }),
  writePart: (place, part, file) => writePart({ system, place }, part, file),
  placePart: (place, part, file) => placePart({ system, place }, part, file),
  complete: (place, changes, signal) => complete({ system, place }, changes, signal),
});
