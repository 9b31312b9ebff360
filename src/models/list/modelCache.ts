/**
 * What providers said of their models, kept in `models.json`: a window that opens need not ask
 * again.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ModelDescription } from '../model.ts';

export interface ModelCacheOptions {
  /** Absolute. */
  readonly path: string;
  /** Replaces the file at once or not at all; parent folders are made. */
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
  efforts: z.array(z.enum(['none', 'low', 'medium', 'high', 'max'])).optional(),
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
  /** Milliseconds since the epoch. */
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

  /** What was heard last, however long ago. */
  get(provider: string): Heard | undefined {
    this.#known ??= this.#read();
    return Object.hasOwn(this.#known, provider) ? this.#known[provider] : undefined;
  }

  /** Known at once; what cannot be written is logged. */
  keep(provider: string, models: readonly ModelDescription[]): void {
    const heard: Heard = { heardMs: this.#options.clock.now(), models };
    this.#known = { ...(this.#known ?? this.#read()), [provider]: heard };
    this.#last = this.#last.then(() => this.#write(provider, heard));
  }

  /** Resolves when all that is to be kept is on disk. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** Another process may have heard of other providers meanwhile. */
  async #write(provider: string, heard: Heard): Promise<void> {
    const { path, write, logger } = this.#options;
    try {
      await write(
        path,
        `${JSON.stringify({ version, providers: { ...this.#read(), [provider]: heard } }, null, 1)}\n`,
      );
    } catch (error) {
      logger.warn(`The list of models could not be kept in ${path}: ${messageOf(error)}`);
    }
  }

  /** Only a memory: where it is not what it should be, the providers are asked again. */
  #read(): Known {
    const { path, logger } = this.#options;
    try {
      return schema.parse(JSON.parse(readFileSync(path, 'utf8'))).providers as Known;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT')
        logger.warn(`${path} is damaged and is made anew: ${messageOf(error)}`);
      return {};
    }
  }
}
