/**
 * Caches the providers' lists of models in `models.json`, so that a new window need not fetch them
 * again.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { effortLevels } from '../effort.ts';
import type { ModelDescription } from '../model.ts';

export interface ModelCacheOptions {
  /** An absolute path. */
  readonly path: string;
  /** Writes the file atomically; creates parent folders. */
  write(path: string, text: string): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const version = 1;
const dollars = z.number().nonnegative();
const description = z.object({
  id: z.string().min(1),
  label: z.string(),
  contextTokens: z.number().positive(),
  maxOutputTokens: z.number().positive(),
  toolCalls: z.enum(['native', 'text']).optional(),
  acceptsImages: z.boolean().optional(),
  efforts: z.array(z.enum(effortLevels)).optional(),
  price: z
    .object({
      input: dollars,
      output: dollars,
      cacheRead: dollars.optional(),
      cacheWrite: dollars.optional(),
    })
    .optional(),
  isRetiring: z.boolean().optional(),
  family: z.string().optional(),
  releasedMs: z.number().optional(),
});
const schema = z.object({
  version: z.literal(version),
  providers: z.record(z.string(), z.object({ heardMs: z.number(), models: z.array(description) })),
});

interface Heard {
  /** Time at which the list was fetched, in milliseconds since the epoch. */
  readonly heardMs: number;
  readonly models: readonly ModelDescription[];
}

type Known = Readonly<Record<string, Heard>>;

export class ModelCache {
  readonly #options: ModelCacheOptions;
  #known: Known | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: ModelCacheOptions) {
    this.#options = options;
  }

  /** Returns the last fetched list of a provider, regardless of age. */
  get(provider: string): Heard | undefined {
    this.#known ??= this.#read();
    return Object.hasOwn(this.#known, provider) ? this.#known[provider] : undefined;
  }

  /**
   * Stores a list. `get` returns the list immediately, before the file is written. A failure to
   * write the file is logged.
   */
  keep(provider: string, models: readonly ModelDescription[]): void {
    const heard: Heard = { heardMs: this.#options.clock.now(), models };
    this.#known = { ...(this.#known ?? this.#read()), [provider]: heard };
    this.#last = this.#last.then(() => this.#write(provider, heard));
  }

  /** Resolves when all stored lists were written to disk, or could not be written. */
  settled(): Promise<void> {
    return this.#last;
  }

  /**
   * Writes the file. First reads the file again, since another process may have added other
   * providers.
   */
  async #write(provider: string, heard: Heard): Promise<void> {
    const { path, write, logger } = this.#options;
    try {
      await write(
        path,
        `${JSON.stringify({ version, providers: { ...this.#read(), [provider]: heard } }, null, 1)}\n`,
      );
    } catch (error) {
      logger.warn(`The list of models could not be saved to ${path}: ${messageOf(error)}`);
    }
  }

  /** Reads the file. Returns no lists if the file is damaged: the lists can be fetched again. */
  #read(): Known {
    const { path, logger } = this.#options;
    try {
      return schema.parse(JSON.parse(readFileSync(path, 'utf8'))).providers as Known;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        logger.warn(`${path} is damaged and will be recreated: ${messageOf(error)}`);
      return {};
    }
  }
}
