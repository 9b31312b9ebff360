/**
 * Stores a list of the engines in which a Helios home has created containers, and removes unused
 * containers from these engines.
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
  /** File that stores the list of engines across restarts. */
  readonly file: string;
  /** Replaces the file atomically. */
  write(path: string, text: string): Promise<void>;
  readonly logger: Logger;
}

const schema = z.array(z.string());

/** The engines of a Helios home. An engine without containers of this home is never contacted. */
export class OwnEngines {
  readonly homeId: string;
  readonly #options: OwnEnginesOptions;

  constructor(options: OwnEnginesOptions) {
    this.homeId = homeIdOf(options.home);
    this.#options = options;
  }

  /**
   * Records an engine. Must be called before the first container is created in that engine. Rejects
   * when the file cannot be written.
   */
  async remember(engine: string): Promise<void> {
    const engines = await this.#read();
    if (engines.includes(engine)) return;
    await this.#options.write(
      this.#options.file,
      `${JSON.stringify([...engines, engine], null, 2)}\n`,
    );
  }

  /**
   * Removes the containers of this home that have no active runs and whose machine is not known to
   * `isKnown`. Never rejects: errors are logged, and a later call retries.
   */
  async removeStrays(isKnown: (machineId: string) => boolean): Promise<void> {
    for (const engine of await this.#read()) {
      try {
        await removeStrays(await openEngine(engine), this.homeId, isKnown);
      } catch (error) {
        this.#options.logger.debug(
          `The containers of ${engine} were not removed: ${messageOf(error)}`,
        );
      }
    }
  }

  async #read(): Promise<string[]> {
    try {
      return schema.parse(JSON.parse(await readFile(this.#options.file, 'utf8')));
    } catch {
      return [];
    }
  }
}
