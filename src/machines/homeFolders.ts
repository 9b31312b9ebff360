/**
 * Home folders of machines, as they were told: with them a run is found again while its machine
 * cannot be reached.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const schema = z.record(z.string(), z.string().startsWith('/'));

export class HomeFolders {
  readonly #path: string;
  readonly #write: (path: string, text: string) => Promise<void>;
  #known: Record<string, string> | undefined;

  /** `write` replaces the file at once or not at all. */
  constructor(path: string, write: (path: string, text: string) => Promise<void>) {
    this.#path = path;
    this.#write = write;
  }

  get(place: string): string | undefined {
    return this.#all()[place];
  }

  /** Resolves with `folder`. What cannot be kept is asked for again another time. */
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

  /** Only a memory: where it is not there, or not what it should be, the machine is asked. */
  #read(): Record<string, string> {
    try {
      return schema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return {};
    }
  }
}
