/** Writes the items of an archive into a staging folder of this computer. */
import * as fs from 'node:fs';
import type { Bytes } from './ends.ts';
import { isPlainName, isWindowsName, parentOf } from './names.ts';
import { isWindows, stamp, type LocalSystem, type OpenFolder } from './openFolder.ts';
import { TarFailure, type TarItem, type TarSink } from './tarReader.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

interface OpenItem {
  readonly file: number;
  readonly item: TarItem;
}

export class Unpacking implements TarSink, Disposable {
  /** Names of all items, in the order of the archive. */
  readonly names: Bytes[] = [];
  readonly #system: LocalSystem;
  readonly #folder: OpenFolder;
  readonly #made = new Set<Bytes>(['.']);
  readonly #files = new Set<Bytes>();
  readonly #folders: TarItem[] = [];
  #current: OpenItem | undefined;

  constructor(system: LocalSystem, folder: OpenFolder) {
    this.#system = system;
    this.#folder = folder;
  }

  begin(item: TarItem): void {
    this.#endFile();
    const { kind, name } = item;
    if (!isPlainName(name) || (isWindows(this.#system) && !isWindowsName(name)))
      throw new TarFailure(`${JSON.stringify(name)} in it leads out of the folder`);
    this.names.push(name);
    if (kind === 'folder') {
      this.#make(name);
      this.#folders.push(item);
      return;
    }
    this.#make(parentOf(name));
    if (kind === 'same') this.#copy(item);
    this.#open(item, kind === 'same' ? 0 : O_CREAT | O_EXCL);
    this.#files.add(name);
  }

  write(bytes: Uint8Array): void {
    const { file } = this.#current ?? {};
    if (file === undefined) return;
    for (let at = 0; at < bytes.length;) at += fs.writeSync(file, bytes, at);
  }

  /** Completes the last file, and sets the times and permissions of the folders. */
  complete(): void {
    this.#endFile();
    const depth = ({ name }: TarItem): number => name.split('/').length;
    for (const item of this.#folders.sort((a, b) => depth(b) - depth(a)))
      stamp(this.#system, this.#folder.at(item.name), item);
  }

  [Symbol.dispose](): void {
    if (this.#current) fs.closeSync(this.#current.file);
    this.#current = undefined;
  }

  #open(item: TarItem, flags: number): void {
    const path = this.#folder.at(item.name);
    this.#current = { file: fs.openSync(path, O_WRONLY | O_NOFOLLOW | flags, 0o600), item };
  }

  /** Copies a file that the archive has under another name already. */
  #copy({ name, link }: TarItem): void {
    if (!this.#files.has(link))
      throw new TarFailure(
        `${JSON.stringify(name)} in it is a link to a file that it does not have`,
      );
    fs.copyFileSync(this.#folder.at(link), this.#folder.at(name), fs.constants.COPYFILE_EXCL);
  }

  #make(folder: Bytes): void {
    if (this.#made.has(folder)) return;
    fs.mkdirSync(this.#folder.at(folder), { recursive: true, mode: 0o755 });
    for (let name = folder; !this.#made.has(name); name = parentOf(name)) this.#made.add(name);
  }

  #endFile(): void {
    if (this.#current) stamp(this.#system, this.#current.file, this.#current.item);
    this[Symbol.dispose]();
  }
}
