/**
 * Stores which contents of project files the user has allowed, in the home folder of Helios: one
 * file for each path and content, named after a hash of both.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { removeFile } from '../base/heldFiles.ts';
import { codeOf } from '../base/errors.ts';
import { otherOwner, type FileUser } from './fileOwners.ts';

export interface AllowancesOptions {
  /** Absolute path of the folder; created when needed. */
  readonly folder: string;
  /** Writes the file atomically, for the user alone. Creates its folder if needed. */
  write(file: string, text: string): Promise<void>;
}

export class Allowances {
  readonly #options: AllowancesOptions;

  constructor(options: AllowancesOptions) {
    this.#options = options;
  }

  /**
   * Resolves with true if the user has allowed the content. An allowance whose file belongs to
   * another user is ignored.
   */
  async has(id: string, user: FileUser | undefined): Promise<boolean> {
    const stats = await stat(this.#fileOf(id)).catch(() => undefined);
    return stats !== undefined && (user === undefined || otherOwner(stats, user) === undefined);
  }

  add(id: string, realFile: string): Promise<void> {
    return this.#options.write(this.#fileOf(id), `${JSON.stringify({ file: realFile })}\n`);
  }

  /** Removes all allowances of the file. Resolves with their number. */
  async remove(realFile: string): Promise<number> {
    const names = await namesIn(this.#options.folder);
    const texts = await Promise.all(
      names.map((name) => readFile(path.join(this.#options.folder, name), 'utf8')),
    );
    const wanted = `${JSON.stringify({ file: realFile })}\n`;
    const found = names.filter((_name, index) => texts[index] === wanted);
    await Promise.all(found.map((name) => removeFile(path.join(this.#options.folder, name))));
    return found.length;
  }

  #fileOf(id: string): string {
    return path.join(this.#options.folder, `${id}.json`);
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
