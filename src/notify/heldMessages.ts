/** What quiet hours hold back, on disk: a process that ends before they do leaves it to the next one. */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { codeOf } from '../base/errors.ts';
import type { Message } from './notification.ts';
import { channelSchema, notifyEvents, quietHoursSchema, type ChannelSettings, type QuietHours } from './settings.ts';

/** Where something is held back. */
export interface HeldRoute {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
}

export interface HeldMessage extends HeldRoute {
  readonly message: Message;
  readonly quietHours: QuietHours | undefined;
  /** Milliseconds since the epoch: not told before. */
  readonly untilMs: number;
}

export interface HeldOptions {
  /** Absolute; made when it is needed. */
  readonly folder: string;
  /** Replaces the file in one step, and makes its folder. */
  write(file: string, text: string): Promise<void>;
}

/** JSON has no NaN. */
const metrics = z.record(z.string(), z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)]));

const event = z.enum(notifyEvents);

const schema = z.object({
  channel: channelSchema,
  isProject: z.boolean(),
  quietHours: quietHoursSchema.optional().transform((hours) => hours),
  untilMs: z.number(),
  message: z.object({
    event,
    events: z.array(event),
    ...{ title: z.string(), body: z.string(), sessionId: z.string(), goal: z.string(), atMs: z.number() },
    ...{ machineId: z.string().exactOptional(), pid: z.number().exactOptional(), run: z.string().exactOptional() },
    metrics: metrics.exactOptional(),
  }),
});

/** A folder for each channel, a file for each message. Whoever takes a folder away in one step has what is in it. */
export class HeldMessages {
  readonly #options: HeldOptions;
  #written = 0;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  /** Rejects where it cannot be written. */
  async put({ quietHours, ...held }: HeldMessage): Promise<void> {
    this.#written += 1;
    const order = [held.message.atMs, this.#written].map((count) => String(count).padStart(15, '0'));
    const name = `${order.join('-')}-${randomUUID()}.json`;
    const text = JSON.stringify({ ...held, ...(quietHours && { quietHours }) }, finite);
    const write = (): Promise<void> => this.#options.write(path.join(this.#folderOf(held), name), text);
    // Its folder may be taken away meanwhile; the next one is another.
    await write().catch(write);
  }

  /** What is held for the channel, the oldest first: from now on nobody else has it. */
  async take(route: HeldRoute): Promise<readonly HeldMessage[]> {
    const taken = `${this.#folderOf(route)}.${randomUUID()}`;
    try {
      await rename(this.#folderOf(route), taken);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
    const held = await heldIn(taken);
    await rm(taken, { recursive: true, force: true });
    return held;
  }

  /** One of each channel that something is held for: the one that is told last. */
  async waiting(): Promise<readonly HeldMessage[]> {
    const folders = (await namesIn(this.#options.folder)).filter((name) => !name.includes('.'));
    const held = await Promise.all(folders.map((name) => heldIn(path.join(this.#options.folder, name))));
    return held.flatMap((messages) => messages.toSorted((one, other) => other.untilMs - one.untilMs).slice(0, 1));
  }

  #folderOf({ channel, isProject }: HeldRoute): string {
    const key = createHash('sha256').update(JSON.stringify([isProject, channel]));
    return path.join(this.#options.folder, key.digest('hex').slice(0, 16));
  }
}

const finite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/** What is no message, or of another version, is left out. */
async function heldIn(folder: string): Promise<HeldMessage[]> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.json')).sort();
  const texts = await Promise.all(names.map((name) => textOf(path.join(folder, name))));
  return texts.flatMap((text) => {
    const { success, data } = schema.safeParse(parsed(text));
    return success ? [data] : [];
  });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Empty where somebody else has taken it. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
