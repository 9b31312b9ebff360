/**
 * Stores on disk the messages that quiet hours hold back. If this process ends before the quiet
 * hours do, the next process sends the messages.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { removeFile, replaceFile } from '../base/heldFiles.ts';
import { codeOf } from '../base/errors.ts';
import type { Message } from './notification.ts';
import {
  channelSchema,
  notifyEvents,
  quietHoursSchema,
  type ChannelSettings,
  type QuietHours,
} from './settings.ts';

/**
 * A channel with messages that are held back. `isProject`: whether the channel is from a
 * `helios.json`.
 */
export interface HeldRoute {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
  /** Id of the user's allowance, for a channel of a project. */
  readonly allowance?: string;
}

export interface HeldMessage extends HeldRoute {
  readonly message: Message;
  readonly quietHours: QuietHours | undefined;
  /** Time at which the message is due, in milliseconds since the epoch. */
  readonly untilMs: number;
}

export interface HeldOptions {
  /** Absolute path of the folder for the messages; created when needed. */
  readonly folder: string;
  /** Writes the file atomically, replacing an existing one. Creates its folder if needed. */
  write(file: string, text: string): Promise<void>;
}

/** Metrics in a stored message. Non-finite numbers are stored by name, because JSON has no NaN. */
const metrics = z.record(
  z.string(),
  z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)]),
);

const event = z.enum(notifyEvents);

const schema = z.object({
  channel: channelSchema,
  isProject: z.boolean(),
  allowance: z.string().exactOptional(),
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
  /** The messages, oldest first. */
  readonly messages: readonly HeldMessage[];
  /** Deletes the messages, after they were sent or because they will never be sent. */
  forget(): Promise<void>;
  /** Makes the messages available to every process again. */
  giveBack(): Promise<void>;
}

/**
 * Age after which a folder that a process has claimed counts as abandoned, because that process has
 * probably died.
 */
const abandonedAfterMs = 15 * 60_000;

/**
 * Messages on disk: one folder per channel, `<channel>`, with one file per message. A process
 * claims the messages of a channel by renaming the folder, which is atomic, to
 * `<channel>.<now>.<any>` (the time in milliseconds since the epoch, and a random id). When a
 * process releases the messages without sending them, it renames the folder to
 * `<channel>.free.<any>`.
 */
export class HeldMessages {
  readonly #options: HeldOptions;
  #written = 0;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  /** Stores a message. Rejects if the message cannot be written. */
  async put({ quietHours, ...held }: HeldMessage): Promise<void> {
    this.#written += 1;
    const order = [held.message.atMs, this.#written].map((count) =>
      String(count).padStart(15, '0'),
    );
    const name = `${order.join('-')}-${randomUUID()}.json`;
    const text = JSON.stringify({ ...held, ...(quietHours && { quietHours }) }, finite);
    const write = (): Promise<void> =>
      this.#options.write(path.join(this.#pathOf(keyOf(held)), name), text);
    // If another process renames the folder during the first attempt, the second attempt makes a
    // new folder.
    await write().catch(write);
  }

  /**
   * Claims the messages of the channel, and resolves with them, oldest first. Until they are
   * released or count as abandoned, no other process can claim them.
   */
  async take(route: HeldRoute, nowMs: number): Promise<TakenMessages> {
    const key = keyOf(route);
    const names = (await namesIn(this.#options.folder)).filter(
      (name) => name.startsWith(key) && isFree(name, nowMs),
    );
    const claimedFolders: string[] = [];
    for (const name of names) {
      const mine = this.#pathOf(`${key}.${nowMs}.${randomUUID()}`);
      if (await moves(this.#pathOf(name), mine)) claimedFolders.push(mine);
    }
    const held = await Promise.all(claimedFolders.map(heldIn));
    return {
      messages: held.flat().sort((one, other) => one.message.atMs - other.message.atMs),
      forget: async () => {
        for (const folder of claimedFolders) await removeFile(folder, { recursive: true });
      },
      giveBack: async () => {
        for (const folder of claimedFolders)
          await moves(folder, this.#pathOf(`${key}.free.${randomUUID()}`));
      },
    };
  }

  /** Resolves, for each channel that has messages, with the message that is due last. */
  async waiting(): Promise<readonly HeldMessage[]> {
    const names = await namesIn(this.#options.folder);
    const held = await Promise.all(names.map((name) => this.#waitingIn(name)));
    const latest = new Map<string, HeldMessage>();
    for (const each of held.flat().sort((one, other) => one.untilMs - other.untilMs))
      latest.set(keyOf(each), each);
    return [...latest.values()];
  }

  /**
   * Resolves with the messages in a folder. If another process has claimed them, they are due at
   * the earliest when the folder counts as abandoned.
   */
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

/** Returns when a process claimed the folder; `undefined` if none has. */
function takenAtMs(name: string): number | undefined {
  const stamp = Number(name.split('.')[1]);
  return Number.isFinite(stamp) ? stamp : undefined;
}

/**
 * Returns whether this process can claim the folder. A claim dated far in the future also counts as
 * abandoned, because the clock may have been set back.
 */
function isFree(name: string, nowMs: number): boolean {
  const takenMs = takenAtMs(name);
  return takenMs === undefined || Math.abs(nowMs - takenMs) >= abandonedAfterMs;
}

/** Renames the folder. Resolves with false if another process has already renamed it. */
async function moves(from: string, to: string): Promise<boolean> {
  try {
    await replaceFile(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

const finite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

/**
 * Resolves with the messages in the folder. Skips files that are not messages, or that another
 * version wrote in another format.
 */
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

/** Resolves with the text of the file; empty if another process has claimed the file. */
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
