/** This computer, if it runs Windows: Node reads and writes its files, and no command can run. */
import { readdir, readlink, realpath } from 'node:fs/promises';
import { win32 } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { currentPlatform } from '../../base/platform.ts';
import { isKeyStart, keyStartBytes } from '../../base/privateKey.ts';
import type { FilesOnly, PathKind } from '../filesOnly.ts';
import { MachineFailure } from '../machine.ts';
import { fileFailure } from './localFiles.ts';
import { LocalMachine, type LocalMachineOptions } from './localMachine.ts';

/** Creates the machine `local`. Default of `platform`: that of this process. */
export const createLocal = ({
  platform = currentPlatform(),
  ...options
}: LocalMachineOptions & { readonly platform?: NodeJS.Platform | undefined }): LocalMachine =>
  platform === 'win32' ? new WindowsComputer(options) : new LocalMachine(options);

/** Calls of the file system that depend on how Windows writes a path. */
export interface WindowsFiles {
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  /** Resolves with the names in the folder. Names of folders end with a slash. */
  list(folder: string): Promise<string[]>;
}

const systemFiles: WindowsFiles = {
  realpath: (path) => realpath(path),
  readlink: (path) => readlink(path),
  list: async (folder) =>
    (await readdir(folder, { withFileTypes: true })).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    ),
};

const maxLinks = 40;
const note = 'Windows: use WSL, SSH or a container';

const refused = (): Promise<never> =>
  Promise.reject(
    new MachineFailure(
      'denied',
      'Nothing was run: commands cannot run on Windows itself. Use WSL, an SSH host or a container.',
    ),
  );

export class WindowsComputer extends LocalMachine {
  override readonly path = win32;
  readonly #system: WindowsFiles;
  override readonly filesOnly: FilesOnly = {
    note,
    realPath: (path) => this.#realPath(path),
    kindOf: (path) => this.#kindOf(path),
    namesIn: (folder) => this.#namesIn(folder),
  };

  constructor(options: LocalMachineOptions, system = systemFiles) {
    super(options);
    this.#system = system;
  }

  override describe(): Promise<string> {
    return Promise.resolve(note);
  }

  override exec(): Promise<never> {
    return refused();
  }

  override query(): Promise<never> {
    return refused();
  }

  override stream(): Promise<never> {
    return refused();
  }

  override spawnDetached(): Promise<never> {
    return refused();
  }

  /**
   * Resolves the links of the part of the path that exists. Windows gives its names as the disk has
   * them: in their own case, and long.
   */
  async #realPath(path: string): Promise<string> {
    const missing: string[] = [];
    let links = 0;
    for (let at = path; ;) {
      const real = await this.#existing(at, path);
      if (real !== undefined) return win32.join(real, ...missing);
      const target = await this.#system.readlink(at).catch(() => undefined);
      const parent = win32.dirname(at);
      if (target === undefined && parent === at)
        throw new MachineFailure('missing', `Cannot resolve ${path}: there is no ${at}.`);
      if (target === undefined) missing.unshift(win32.basename(at));
      else if ((links += 1) > maxLinks)
        throw new MachineFailure('denied', `Cannot resolve ${path}: it has too many links.`);
      at = target === undefined ? parent : win32.resolve(parent, target);
    }
  }

  /** Resolves with the real path; `undefined` if nothing exists at the path. */
  async #existing(at: string, path: string): Promise<string | undefined> {
    try {
      return await this.#system.realpath(at);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
      throw fileFailure(error, 'resolve', path);
    }
  }

  async #kindOf(path: string): Promise<PathKind> {
    const found = await this.stat(path);
    if (found === undefined || found.isDirectory) return found === undefined ? 'missing' : 'folder';
    const range = { offset: 0, maxBytes: keyStartBytes };
    const start = await this.readFile(path, range).catch(() => new Uint8Array());
    return isKeyStart(start) ? 'key' : 'file';
  }

  async #namesIn(folder: string): Promise<readonly string[]> {
    try {
      return (await this.#system.list(folder)).sort();
    } catch (error) {
      throw fileFailure(error, 'read', folder);
    }
  }
}
