/**
 * Opens folders and files of this computer by their real paths. If a program replaces a folder by a
 * link meanwhile, nothing outside the folder is read or written: where the system shows open
 * folders as paths, these paths are used; elsewhere, the path is checked before and afterwards.
 */
import * as fs from 'node:fs';
import path, { type PlatformPath } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileFailure } from '../local/localFiles.ts';
import { MachineFailure } from '../machine.ts';
import { textOf, type Bytes } from './ends.ts';
import { folded, parentOf, pathIn } from './names.ts';
import { plainMode } from './plan.ts';
import type { Entry } from './tree.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export interface LocalSystem {
  readonly paths: PlatformPath;
  /** Folder of the system with a path for each open folder; absent if there is none. */
  readonly descriptors: string | undefined;
}

const procFolder = '/proc/self/fd';

export const localSystem: LocalSystem = {
  paths: path,
  descriptors: fs.existsSync(procFolder) ? procFolder : undefined,
};

export const isWindows = ({ paths }: LocalSystem): boolean => paths.sep === '\\';

/** Returns a path as Node takes it. Names of Windows are text, names of other systems are bytes. */
export const nodePath = (system: LocalSystem, bytes: Bytes): string | Buffer =>
  isWindows(system) ? textOf(bytes) : Buffer.from(bytes, 'latin1');

/** Returns a path of the system with slashes. */
export const slashed = (system: LocalSystem, text: Bytes): Bytes =>
  isWindows(system) ? text.replaceAll('\\', '/') : text;

/** Returns the path without links. Throws the system's error. */
export const realPathOf = (system: LocalSystem, bytes: Bytes): Bytes =>
  slashed(system, fs.realpathSync.native(nodePath(system, bytes), 'buffer').toString('latin1'));

export class OpenFolder implements Disposable {
  readonly path: Bytes;
  readonly #system: LocalSystem;
  readonly #descriptor: number | undefined;

  /** Throws `MachineFailure` if the path is not a real path, and errors of the system. */
  constructor(system: LocalSystem, path: Bytes) {
    this.path = path;
    this.#system = system;
    if (system.descriptors !== undefined)
      this.#descriptor = fs.openSync(nodePath(system, path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      this.#assertAt(this.#openedPath());
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Throws `MachineFailure` if another folder has taken the place of this one, unless paths of
   * `at` lead to this one all the same.
   */
  verify(): void {
    if (this.#descriptor === undefined) this.#assertAt(this.#openedPath());
  }

  /** Returns the path of an item in the folder; `.` is the folder itself. */
  at(base: Bytes): string | Buffer {
    const folder = this.#descriptorPath() ?? this.path;
    return nodePath(this.#system, folder.endsWith('/') ? `${folder}${base}` : `${folder}/${base}`);
  }

  /** Opens a regular file without waiting and without following a link. Default: for reading. */
  open(base: Bytes, flags = O_RDONLY): number {
    const file = fs.openSync(this.at(base), flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      this.#assertIn(base, fs.fstatSync(file, { bigint: true }));
      return file;
    } catch (error) {
      fs.closeSync(file);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
  }

  #descriptorPath(): Bytes | undefined {
    return this.#descriptor === undefined
      ? undefined
      : `${this.#system.descriptors}/${this.#descriptor}`;
  }

  #openedPath(): Bytes {
    const shown = this.#descriptorPath();
    return shown === undefined
      ? realPathOf(this.#system, this.path)
      : fs.readlinkSync(shown, 'latin1');
  }

  #assertAt(real: Bytes): void {
    // Without paths of open folders, the system is Windows or macOS, which give a path as it is stored.
    const isSame =
      real === this.path || (this.#descriptor === undefined && folded(real) === folded(this.path));
    if (!isSame)
      throw new MachineFailure(
        'denied',
        `Cannot open ${textOf(this.path)}: a link took its place.`,
      );
  }

  #assertIn(base: Bytes, opened: fs.BigIntStats): void {
    if (!opened.isFile())
      throw new MachineFailure('denied', 'Cannot open it: it is not a regular file.');
    if (this.#descriptor !== undefined) return;
    const { ino, birthtimeNs } = fs.lstatSync(this.at(base), { bigint: true });
    this.verify();
    if (ino !== opened.ino || birthtimeNs !== opened.birthtimeNs)
      throw new MachineFailure('denied', 'Cannot open it: a link took its place.');
  }
}

export interface Work {
  readonly system: LocalSystem;
  /** Real path of the folder that contains the items. */
  readonly root: Bytes;
  /** Verb for messages, such as `read`. */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

/** Number of items after which other work of this process gets its turn. */
const itemsAtOnce = 100;

/**
 * Calls `use` for each item, with the folder that contains it. Resolves with messages about the
 * items for which this failed. Rejects with the signal's reason.
 */
export async function inFolders(
  work: Work,
  names: readonly Bytes[],
  use: (folder: OpenFolder, name: Bytes) => void | Promise<void>,
): Promise<string[]> {
  const problems: string[] = [];
  const note = (error: unknown, name: Bytes): void =>
    void problems.push(itemFailure(error, work.operation, name));
  let count = 0;
  for (const [parent, group] of Map.groupBy(names, parentOf)) {
    using folder = opened(work, parent, (error) => group.forEach((name) => note(error, name)));
    for (const name of folder ? group : []) {
      try {
        if (folder) await use(folder, name);
        folder?.verify();
      } catch (error) {
        note(error, name);
      }
      if (++count % itemsAtOnce === 0) await setImmediate();
      work.signal?.throwIfAborted();
    }
  }
  return problems;
}

function opened(
  { system, root }: Work,
  parent: Bytes,
  onError: (error: unknown) => void,
): OpenFolder | undefined {
  try {
    return new OpenFolder(system, pathIn(root, parent));
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Returns a message in the form of those that programs of a shell write. */
export const itemFailure = (error: unknown, operation: string, name: Bytes): string =>
  fileFailure(error, operation, `./${textOf(name)}`).message;

/**
 * Sets the time of an item, to microseconds, and its permissions, which Windows does not have. A
 * path must not be a link.
 */
export function stamp(
  system: LocalSystem,
  item: number | string | Buffer,
  { modified, mode }: Pick<Entry, 'modified' | 'mode'>,
): void {
  const seconds = Number(modified.replace(/(\.\d{6})\d+$/, '$1'));
  if (typeof item === 'number') fs.futimesSync(item, seconds, seconds);
  else fs.utimesSync(item, seconds, seconds);
  if (isWindows(system)) return;
  if (typeof item === 'number') fs.fchmodSync(item, plainMode(mode));
  else fs.chmodSync(item, plainMode(mode));
}
