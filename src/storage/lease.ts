/**
 * One writer per session: a lock file with a heartbeat. A dead owner's lease can be taken over: on the same host when its
 * process is gone, from another host when the heartbeat is old.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { codeOf } from '../base/errors.ts';
import { StorageFailure, storageFailure } from './storageFailure.ts';

const heartbeatMs = 5_000;
const staleAfterMs = 30_000;

interface Owner {
  readonly token: string;
  readonly pid: number;
  readonly processStart: string;
  readonly host: string;
}

export class Lease {
  readonly #file: string;
  readonly #owner: Owner;
  readonly #clock: Clock;
  readonly #onLost: () => void;
  #timer: Disposable;
  #isReleased = false;

  private constructor(file: string, owner: Owner, clock: Clock, onLost: () => void) {
    this.#file = file;
    this.#owner = owner;
    this.#clock = clock;
    this.#onLost = onLost;
    this.#timer = this.#nextBeat();
  }

  /**
   * Takes the lease or throws `StorageFailure('owned')` naming the owner. `onLost` is called when somebody else took it
   * over (this host slept too long): the holder must stop writing.
   */
  static async acquire(file: string, clock: Clock, onLost: () => void): Promise<Lease> {
    const owner: Owner = {
      token: randomBytes(9).toString('hex'),
      pid: process.pid,
      processStart: processStartOf(process.pid) ?? '',
      host: hostname(),
    };
    await mkdir(path.dirname(file), { recursive: true });
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await tryCreate(file, owner)) return new Lease(file, owner, clock, onLost);
      await removeIfDead(file, clock);
    }
    throw owned(file, await readOwner(file));
  }

  /** True while a live process holds the lease at `file`. */
  static async isHeld(file: string, clock: Clock): Promise<boolean> {
    const owner = await readOwner(file);
    return owner !== undefined && !(await isDead(file, owner, clock));
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#timer.dispose();
    if ((await readOwner(this.#file))?.token === this.#owner.token) await rm(this.#file, { force: true });
  }

  #nextBeat(): Disposable {
    return this.#clock.after(heartbeatMs, () => {
      // A disk that does not answer for a while says nothing about the owner: the next beat tells.
      const isOurs = this.#beat().catch(() => true);
      void isOurs.then((holds) => {
        if (this.#isReleased) return;
        if (holds) {
          this.#timer = this.#nextBeat();
          return;
        }
        this.#isReleased = true;
        this.#onLost();
      });
    });
  }

  /** Resolves with false when somebody else has the lease. */
  async #beat(): Promise<boolean> {
    if ((await readOwner(this.#file))?.token !== this.#owner.token) return false;
    const now = new Date(this.#clock.now());
    await utimes(this.#file, now, now);
    return true;
  }
}

/** The file appears with its content or not at all: it is written aside and linked into place. */
async function tryCreate(file: string, owner: Owner): Promise<boolean> {
  const temporary = `${file}.${owner.token}`;
  try {
    await writeFile(temporary, JSON.stringify(owner), { mode: 0o600 });
    await link(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw storageFailure(error, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function removeIfDead(file: string, clock: Clock): Promise<void> {
  const owner = await readOwner(file);
  if (owner !== undefined && !(await isDead(file, owner, clock))) throw owned(file, owner);
  const aside = `${file}.${randomBytes(6).toString('hex')}.dead`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Between reading and moving, somebody else may have taken it over: then what was moved is theirs, and goes back.
  const moved = await readOwner(aside);
  if (moved?.token !== owner?.token) {
    await link(aside, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
  await rm(aside, { force: true });
}

async function isDead(file: string, owner: Owner, clock: Clock): Promise<boolean> {
  if (owner.host === hostname()) return processStartOf(owner.pid) !== owner.processStart;
  try {
    return clock.now() - (await stat(file)).mtimeMs > staleAfterMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
}

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isOwner(value) ? value : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isOwner = (value: unknown): value is Owner =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'host' in value;

/** Distinguishes a process from a later one with the same pid; `undefined` when there is no such process. */
function processStartOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return undefined;
  }
  try {
    const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
    const isGone = fields[0] === 'Z' || fields[0] === 'X';
    return isGone ? undefined : (fields[19] ?? '');
  } catch (error) {
    // Without /proc a live pid is all that is known.
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

const owned = (file: string, owner: Owner | undefined): StorageFailure =>
  new StorageFailure(
    'owned',
    `This session is being worked on by process ${owner?.pid ?? 'unknown'} on ${owner?.host ?? 'another host'} (${file}). Follow it there, or end that process first.`,
  );
