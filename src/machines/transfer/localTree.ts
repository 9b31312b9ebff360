/** Lists the items in a folder of this computer without commands. */
import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { codeOf } from '../../base/errors.ts';
import { fileFailure } from '../local/localFiles.ts';
import { MachineFailure } from '../machine.ts';
import { bytesOf, placeText, textOf, type Bytes, type Place } from './ends.ts';
import { baseOf, isWindowsName, ownPrefix, pathIn } from './names.ts';
import {
  inFolders,
  isWindows,
  itemFailure,
  nodePath,
  OpenFolder,
  realPathOf,
  slashed,
  type LocalSystem,
} from './openFolder.ts';
import { kindOf, type Entry, type Listing, type Tools, type Tree } from './tree.ts';

/** Number of entries after which other work of this process gets its turn. */
const entriesAtOnce = 500;

export async function listLocal(
  system: LocalSystem,
  place: Place,
  { names, closed = [], signal }: Listing,
): Promise<Tree> {
  try {
    const path = realPathAhead(system, slashed(system, bytesOf(place.path)));
    const kind = rootKind(system, path);
    const tools: Tools = {
      tar: 'gnu',
      sum: 'node',
      system: isWindows(system) ? 'windows' : 'unix',
      foldsNames: isWindows(system),
    };
    const tree = { path: textOf(path), root: kind, tools, freeBytes: freeBytesAt(system, path) };
    if (kind !== 'folder') return { ...tree, entries: new Map(), complaints: [] };
    const root: Root = { system, path };
    const found = await (names ? named(root, names, signal) : walked(root, closed, signal));
    return { ...tree, ...found };
  } catch (error) {
    signal?.throwIfAborted();
    throw fileFailure(error, 'access', placeText(place));
  }
}

interface Root {
  readonly system: LocalSystem;
  readonly path: Bytes;
}

type Listed = Pick<Tree, 'entries' | 'complaints'>;

/** Lists items by name, and temporary items of transfers. */
async function named(
  root: Root,
  names: readonly Bytes[],
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const { system, path } = root;
  const isUsable = (name: Bytes): boolean => !isWindows(system) || isWindowsName(name);
  using folder = new OpenFolder(system, path);
  const own = namesIn(folder).filter((name) => name.startsWith(ownPrefix));
  const entries = new Map<Bytes, Entry>();
  const all = [...new Set([...names.filter(isUsable), ...own])];
  // Items that do not exist are no entries, whatever the reason.
  const work = { system, root: path, operation: 'list', signal };
  await inFolders(work, all, (parent, name) => {
    entries.set(name, entryIn(system, parent, baseOf(name)));
  });
  return { entries, complaints: [] };
}

async function walked(
  { system, path }: Root,
  closed: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const entries = new Map<Bytes, Entry>();
  const complaints: string[] = [];
  const closedNames = new Set(closed.map(bytesOf));
  const folders: Bytes[] = ['.'];
  for (let name = folders.pop(); name !== undefined; name = folders.pop()) {
    try {
      using folder = new OpenFolder(system, pathIn(path, name));
      if (name === '.') entries.set(name, entryIn(system, folder, name));
      for (const base of namesIn(folder)) {
        const child = name === '.' ? base : `${name}/${base}`;
        const entry = entryOrNothing(system, folder, base);
        if (entry) entries.set(child, entry);
        if (entry?.kind === 'folder' && !closedNames.has(base)) folders.push(child);
        if (entries.size % entriesAtOnce === 0) await setImmediate();
        signal?.throwIfAborted();
      }
      folder.verify();
    } catch (error) {
      signal?.throwIfAborted();
      if (name === '.') throw error;
      complaints.push(itemFailure(error, 'list', name));
    }
  }
  return { entries, complaints };
}

const namesIn = (folder: OpenFolder): Bytes[] =>
  fs.readdirSync(folder.at('.'), 'buffer').map((name) => name.toString('latin1'));

function entryOrNothing(system: LocalSystem, folder: OpenFolder, base: Bytes): Entry | undefined {
  try {
    return entryIn(system, folder, base);
  } catch {
    return undefined;
  }
}

/** Mode of files and folders of a system that has no modes. */
const usualModes = { file: 0o644, folder: 0o755, link: 0o777, other: 0o644 };

const nanosPerSecond = 1_000_000_000n;

function entryIn(system: LocalSystem, folder: OpenFolder, base: Bytes): Entry {
  const { mode, size, mtimeNs } = fs.lstatSync(folder.at(base), { bigint: true });
  const kind = kindOf(Number(mode));
  const nanos = ((mtimeNs % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return {
    kind,
    sizeBytes: Number(size),
    modified: `${(mtimeNs - nanos) / nanosPerSecond}.${String(nanos).padStart(9, '0')}`,
    mode: isWindows(system) ? usualModes[kind] : Number(mode) & 0o7777,
  };
}

/**
 * Returns the path without links. Its last parts may be missing; a link to a missing item leads to
 * where that would be created.
 */
function realPathAhead(system: LocalSystem, path: Bytes): Bytes {
  let rest = '';
  let at = path;
  for (let links = 0; links < maxLinks;) {
    const real = unlessMissing(() => realPathOf(system, at));
    if (real !== undefined) return rest === '' ? real : pathIn(real, rest);
    const target = unlessMissing(() => linkTarget(system, at));
    const parent = slashed(system, system.paths.dirname(at));
    if (target !== undefined) {
      links += 1;
      at = slashed(system, system.paths.resolve(parent, target));
    } else if (parent === at) break;
    else {
      rest = rest === '' ? baseOf(at) : `${baseOf(at)}/${rest}`;
      at = parent;
    }
  }
  throw new MachineFailure('missing', `Cannot access ${textOf(path)}: it does not exist.`);
}

const maxLinks = 40;

function linkTarget(system: LocalSystem, path: Bytes): Bytes | undefined {
  const file = nodePath(system, path);
  if (!fs.lstatSync(file).isSymbolicLink()) return undefined;
  return slashed(system, fs.readlinkSync(file, 'buffer').toString('latin1'));
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function rootKind(system: LocalSystem, path: Bytes): Tree['root'] {
  const stats = unlessMissing(() => fs.statSync(nodePath(system, path)));
  if (stats === undefined) return 'nothing';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** Returns the free bytes of the file system, also for a folder that does not exist yet. */
function freeBytesAt(system: LocalSystem, path: Bytes): number {
  const parent = slashed(system, system.paths.dirname(path));
  const free = unlessMissing(() => fs.statfsSync(nodePath(system, path)));
  if (free === undefined) return parent === path ? NaN : freeBytesAt(system, parent);
  return free.blocks > 0 ? free.bavail * free.bsize : NaN;
}
