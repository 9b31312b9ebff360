/**
 * Stores on disk what quiet hours hold back, so that the next process can send it if this one ends
 * earlier.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { codeOf } from '../base/errors.ts';
import type { Message } from './notification.ts';
import {
  channelSchema,
  notifyEvents,
  quietHoursSchema,
  type ChannelSettings,
  type QuietHours,
} from './settings.ts';

/** The channel that a message is held for. */
export interface HeldRoute {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
}

export interface HeldMessage extends HeldRoute {
  readonly message: Message;
  readonly quietHours: QuietHours | undefined;
  /** Milliseconds since the epoch; not sent before. */
  readonly untilMs: number;
}

export interface HeldOptions {
  /** Absolute path; created when needed. */
  readonly folder: string;
  /** Replaces the file atomically, and creates its folder. */
  write(file: string, text: string): Promise<void>;
}

/** Numbers or their names, because JSON has no NaN. */
const metrics = z.record(
  z.string(),
  z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)]),
);

const event = z.enum(notifyEvents);

const schema = z.object({
  channel: channelSchema,
  isProject: z.boolean(),
  quietHours: quietHoursSchema.optional().transform((hours) => hours),
  untilMs: z.number(),
  message: z.object({
    event,
    events: z.array(event),
    title: z.string(),
    body: z.string(),
    sessionId: z.string(),
    goal: z.string(),
    atMs: z.number(),
    machineId: z.string().exactOptional(),
    pid: z.number().exactOptional(),
    run: z.string().exactOptional(),
    metrics: metrics.exactOptional(),
  }),
});

export interface TakenMessages {
  /** Oldest first. */
  readonly messages: readonly HeldMessage[];
  /** Deletes the messages after they were sent, or if they never will be. */
  forget(): Promise<void>;
  /** Releases the messages for any process. */
  giveBack(): Promise<void>;
}

/** Time after which a folder that is still taken counts as left by a process that died. */
const abandonedAfterMs = 15 * 60_000;

/**
 * Messages on disk: a folder per channel, `<channel>`, with a file per message. A process takes the
 * messages by renaming the folder, atomically, to `<channel>.<now>.<any>`; `<channel>.free.<any>`
 * is a released folder.
 */
export class HeldMessages {
  readonly #options: HeldOptions;
  #written = 0;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  /** Rejects if the message cannot be written. */
  async put({ quietHours, ...held }: HeldMessage): Promise<void> {
    this.#written += 1;
    const order = [held.message.atMs, this.#written].map((count) =>
      String(count).padStart(15, '0'),
    );
    const name = `${order.join('-')}-${randomUUID()}.json`;
    const text = JSON.stringify({ ...held, ...(quietHours && { quietHours }) }, finite);
    const write = (): Promise<void> =>
      this.#options.write(path.join(this.#pathOf(keyOf(held)), name), text);
    // Another process may rename the folder meanwhile; the second attempt makes a new one.
    await write().catch(write);
  }

  /**
   * Takes the messages of the channel, oldest first. No other process can take them for a while.
   */
  async take(route: HeldRoute, nowMs: number): Promise<TakenMessages> {
    const key = keyOf(route);
    const names = (await namesIn(this.#options.folder)).filter(
      (name) => name.startsWith(key) && isFree(name, nowMs),
    );
    const taken: string[] = [];
    for (const name of names) {
      const mine = this.#pathOf(`${key}.${nowMs}.${randomUUID()}`);
      if (await moves(this.#pathOf(name), mine)) taken.push(mine);
    }
    const held = await Promise.all(taken.map(heldIn));
    return {
      messages: held.flat().sort((one, other) => one.message.atMs - other.message.atMs),
      forget: async () => {
        for (const folder of taken) await rm(folder, { recursive: true, force: true });
      },
      giveBack: async () => {
        for (const folder of taken)
          await moves(folder, this.#pathOf(`${key}.free.${randomUUID()}`));
      },
    };
  }

  /** Resolves with one message per channel that has messages: the one that is due last. */
  async waiting(): Promise<readonly HeldMessage[]> {
    const names = await namesIn(this.#options.folder);
    const held = await Promise.all(names.map((name) => this.#waitingIn(name)));
    const latest = new Map<string, HeldMessage>();
    for (const each of held.flat().sort((one, other) => one.untilMs - other.untilMs))
      latest.set(keyOf(each), each);
    return [...latest.values()];
  }

  /** A message that another process has taken is due again when it counts as abandoned. */
  async #waitingIn(name: string): Promise<readonly HeldMessage[]> {
    const takenMs = takenAtMs(name);
    const freeMs = takenMs === undefined ? 0 : takenMs + abandonedAfterMs;
    return (await heldIn(this.#pathOf(name))).map((each) => ({
      ...each,
      untilMs: Math.max(each.untilMs, freeMs),
    }));
  }

  #pathOf(name: string): string {
    return path.join(this.#options.folder, name);
  }
}

function keyOf({ channel, isProject }: HeldRoute): string {
  const key = createHash('sha256').update(JSON.stringify([isProject, channel]));
  return key.digest('hex').slice(0, 16);
}

/** Returns `undefined` for a folder that no process has taken. */
function takenAtMs(name: string): number | undefined {
  const stamp = Number(name.split('.')[1]);
  return Number.isFinite(stamp) ? stamp : undefined;
}

/** Returns whether the folder can be taken, also if the clock was set back since. */
function isFree(name: string, nowMs: number): boolean {
  const takenMs = takenAtMs(name);
  return takenMs === undefined || Math.abs(nowMs - takenMs) >= abandonedAfterMs;
}

/** Resolves with false if another process has renamed the folder. */
async function moves(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const finite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/** Skips files that are no messages or have another version. */
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

/** Resolves with an empty text if another process has taken the file. */
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
