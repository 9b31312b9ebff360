/**
 * Requests from other processes to the process that works on a session. Each request is a file in a
 * folder, and so is its reply. The sender removes both files.
 */
import { watch, type FSWatcher } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { removeFile } from '../base/heldFiles.ts';
import { delay, type Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { newEventId } from '../base/ids.ts';
import { writeFileAtomic } from './atomicFile.ts';
import { makeFolder } from './makeFolder.ts';

/** Maximum wait for a reply. An older request is not carried out. */
const replyWithinMs = 15_000;
const replyPollMs = 50;
/** Interval at which the folder is read, for file systems that report no changes. */
const requestPollMs = 1_000;
const maxRequestBytes = 256 * 1024;

const replySchema = z.object({
  isDone: z.boolean(),
  text: z.string(),
  action: z.string().optional(),
});

/**
 * Sends a request to the process that reads the folder, and resolves with its reply. Rejects with
 * `UserFacing` if the request is refused, or if no process replies in time; the request is then not
 * carried out.
 */
export async function sendRequest(folder: string, body: unknown, clock: Clock): Promise<string> {
  await makeFolder(folder);
  const file = path.join(folder, newEventId(clock.now()));
  const [request, reply] = [`${file}.request`, `${file}.reply`];
  await writeFileAtomic(request, JSON.stringify(body), 0o600);
  try {
    const endMs = clock.now() + replyWithinMs;
    while (clock.now() < endMs) {
      const found = await readReply(reply);
      if (found?.isDone === true) return found.text;
      if (found !== undefined) throw new UserFacing(found.text, found.action);
      await delay(clock, replyPollMs);
    }
    throw new UserFacing(
      'The process that works on the session did not reply.',
      'Look at the session, and try again.',
    );
  } finally {
    await Promise.all([removeFile(request), removeFile(reply)]);
  }
}

async function readReply(file: string): Promise<z.output<typeof replySchema> | undefined> {
  try {
    return replySchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export interface MailboxOptions {
  readonly clock: Clock;
  /** Carries out a request and resolves with the reply. Rejects with an error for the sender. */
  handle(body: unknown): Promise<string>;
}

/** Reads the requests in a folder and carries each out once, one after the other. */
export class Mailbox implements Disposable {
  readonly #folder: string;
  readonly #options: MailboxOptions;
  readonly #seen = new Set<string>();
  #watcher: FSWatcher | undefined;
  #timer: Disposable | undefined;
  #reading: Promise<void> | undefined;
  #isDisposed = false;

  constructor(folder: string, options: MailboxOptions) {
    this.#folder = folder;
    this.#options = options;
    void this.#open();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#watcher?.close();
  }

  async #open(): Promise<void> {
    try {
      await makeFolder(this.#folder);
      if (this.#isDisposed) return;
      this.#watcher = watch(this.#folder, { persistent: false }, () => this.#read());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // Ignore the error: without reports of changes, the folder is read at intervals.
    }
    this.#read();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDisposed) return;
    this.#timer = this.#options.clock.after(requestPollMs, () => {
      this.#read();
      this.#schedule();
    });
  }

  #read(): void {
    if (this.#isDisposed) return;
    this.#reading ??= this.#readAll()
      .catch(() => undefined)
      .finally(() => (this.#reading = undefined));
  }

  async #readAll(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.endsWith('.request') || this.#seen.has(name) || this.#isDisposed) continue;
      this.#seen.add(name);
      await this.#carryOut(path.join(this.#folder, name));
    }
  }

  async #carryOut(file: string): Promise<void> {
    const { mtimeMs, size } = await stat(file);
    const isOld = Date.now() - mtimeMs > replyWithinMs;
    if (isOld) return removeFile(file);
    const reply =
      size > maxRequestBytes
        ? { isDone: false, text: 'The request is too long.' }
        : await this.#reply(file);
    await writeFileAtomic(file.replace(/request$/, 'reply'), JSON.stringify(reply), 0o600);
  }

  async #reply(file: string): Promise<z.input<typeof replySchema>> {
    try {
      const body: unknown = JSON.parse(await readFile(file, 'utf8'));
      return { isDone: true, text: await this.#options.handle(body) };
    } catch (error) {
      const action = error instanceof UserFacing ? error.action : undefined;
      return { isDone: false, text: messageOf(error), ...(action && { action }) };
    }
  }
}
