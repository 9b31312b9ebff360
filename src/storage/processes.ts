/**
 * What this process can learn of the processes of this computer, on every operating system, and how
 * long the computer has been running.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../base/errors.ts';
import { AwakeTime } from './awakeTime.ts';
import { currentPlatform } from '../base/platform.ts';

export interface FoundProcess {
  /**
   * Start time of the process, which distinguishes it from a later process with the same pid. Empty
   * if the system does not report it, as on Windows.
   */
  readonly start: string;
  /** Whether this process may signal it. A holder of a lease usually runs as the same user. */
  readonly isOurs: boolean;
}

/** Tests replace it to stand for another operating system and another time. */
export interface Processes {
  /** Resolves with `undefined` when there is no such process, or when it has ended. */
  find(pid: number): Promise<FoundProcess | undefined>;
  /** Milliseconds since the computer started, also those that it slept. */
  uptimeMs(): number;
  readonly awake: Pick<AwakeTime, 'awakeMs' | 'hasSlept'>;
}

/** Start time of a process; `ended` also for one that only waits to be asked how it ended. */
type Start = { readonly text: string } | 'ended' | 'unknown';

export interface SystemOptions {
  readonly platform?: NodeJS.Platform;
  /** Folder with the processes of Linux. */
  readonly procFolder?: string;
}

export class SystemProcesses implements Processes {
  readonly #platform: NodeJS.Platform;
  readonly #procFolder: string;
  #awake: AwakeTime | undefined;
  #own: Promise<FoundProcess | undefined> | undefined;

  constructor({ platform = currentPlatform(), procFolder = '/proc' }: SystemOptions = {}) {
    this.#platform = platform;
    this.#procFolder = procFolder;
  }

  /** Begins to count with the first question, so that a process without leases has no timer. */
  get awake(): AwakeTime {
    return (this.#awake ??= new AwakeTime());
  }

  uptimeMs(): number {
    return uptime() * 1_000;
  }

  find(pid: number): Promise<FoundProcess | undefined> {
    void this.awake;
    return pid === process.pid ? (this.#own ??= this.#find(pid)) : this.#find(pid);
  }

  async #find(pid: number): Promise<FoundProcess | undefined> {
    const existence = existenceOf(pid);
    if (existence === 'none') return undefined;
    const start = await this.#startOf(pid, existence);
    if (start === 'ended') return undefined;
    return { start: start === 'unknown' ? '' : start.text, isOurs: existence === 'ours' };
  }

  async #startOf(pid: number, existence: 'ours' | 'foreign'): Promise<Start> {
    if (!existsSync(path.join(this.#procFolder, 'self/stat')))
      return this.#platform === 'win32' ? 'unknown' : startByPs(pid);
    const start = await startByProc(path.join(this.#procFolder, String(pid), 'stat'));
    // With the mount option `hidepid`, the processes of other users are missing.
    return start === 'ended' && existence === 'foreign' ? 'unknown' : start;
  }
}

export const systemProcesses = new SystemProcesses();

function existenceOf(pid: number): 'none' | 'ours' | 'foreign' {
  if (!Number.isSafeInteger(pid) || pid <= 0) return 'none';
  try {
    process.kill(pid, 0);
    return 'ours';
  } catch (error) {
    return codeOf(error) === 'ESRCH' ? 'none' : 'foreign';
  }
}

async function startByProc(file: string): Promise<Start> {
  try {
    const fields = ((await readFile(file, 'utf8')).split(') ').at(-1) ?? '').split(' ');
    return startOr(fields[0], fields[19]);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return 'ended';
    throw error;
  }
}

const psTimeoutMs = 5_000;

/** Asks `ps`, in words that do not depend on the language and the time zone of the user. */
async function startByPs(pid: number): Promise<Start> {
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC0' };
  try {
    const { stdout } = await promisify(execFile)('ps', args, {
      env,
      timeout: psTimeoutMs,
      windowsHide: true,
    });
    const [state, ...start] = stdout.trim().split(/\s+/);
    return startOr(state, start.join(' '));
  } catch (error) {
    return isNotFound(error) ? 'ended' : 'unknown';
  }
}

/** Whether `ps` found no such process. With options that it does not know, it complains. */
const isNotFound = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 1 &&
  'stderr' in error &&
  error.stderr === '';

const startOr = (state = '', text = ''): Start =>
  /^[ZX]/.test(state) ? 'ended' : text === '' ? 'unknown' : { text };
