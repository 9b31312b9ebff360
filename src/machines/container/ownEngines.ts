/**
 * The engines in which a Helios home has made containers, and the removal of those that nobody
 * needs any more.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { homeIdOf } from './containerSpec.ts';
import { openEngine } from './engine.ts';
import { removeStrays } from './ownContainers.ts';

export interface OwnEnginesOptions {
  /** The folder of the Helios home. */
  readonly home: string;
  /** Where they are remembered, also by the next Helios. */
  readonly file: string;
  /** Replaces the file at once or not at all. */
  write(path: string, text: string): Promise<void>;
  readonly logger: Logger;
}

const schema = z.array(z.string());

/** An engine in which this home made nothing is never asked anything. */
export class OwnEngines {
  readonly homeId: string;
  readonly #options: OwnEnginesOptions;

  constructor(options: OwnEnginesOptions) {
    this.homeId = homeIdOf(options.home);
    this.#options = options;
  }

  /** Before the first container is made there. Rejects when it cannot be remembered. */
  async remember(engine: string): Promise<void> {
    const known = await this.#known();
    if (known.includes(engine)) return;
    await this.#options.write(
      this.#options.file,
      `${JSON.stringify([...known, engine], null, 2)}\n`,
    );
  }

  /**
   * Removes idle containers of this home whose machine is not known. Never rejects: it can be done
   * another time.
   */
  async removeStrays(isKnown: (machineId: string) => boolean): Promise<void> {
    for (const engine of await this.#known()) {
      try {
        await removeStrays(await openEngine(engine), this.homeId, isKnown);
      } catch (error) {
        this.#options.logger.debug(
          `The containers of ${engine} were not tidied up: ${messageOf(error)}`,
        );
      }
    }
  }

  async #known(): Promise<string[]> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#options.file, 'utf8')));
    } catch {
      return [];
    }
  }
}
