/**
 * Stores the home folders of machines, so that the folder of a run is known while its machine is
 * unreachable.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const schema = z.record(z.string(), z.string().startsWith('/'));

export class HomeFolders {
  readonly #path: string;
  readonly #write: (path: string, text: string) => Promise<void>;
  #known: Record<string, string> | undefined;

  /** @param write Replaces the file atomically. */
  constructor(path: string, write: (path: string, text: string) => Promise<void>) {
    this.#path = path;
    this.#write = write;
  }

  get(place: string): string | undefined {
    return this.#all()[place];
  }

  /**
   * Stores the home folder of a machine, and resolves with `folder`. A failed write is ignored: the
   * next process then asks the machine for the folder again.
   */
  async keep(place: string, folder: string): Promise<string> {
    this.#known = { ...this.#all(), [place]: folder };
    await this.#write(this.#path, `${JSON.stringify(this.#known, null, 2)}\n`).catch(
      () => undefined,
    );
    return folder;
  }

  #all(): Record<string, string> {
    this.#known ??= this.#read();
    return this.#known;
  }

  /**
   * Reads the file, which is only a cache. Returns an empty record when the file is missing or
   * invalid.
   */
  #read(): Record<string, string> {
    try {
      return schema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return {};
    }
  }
}
