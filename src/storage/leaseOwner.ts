/** The owner of a lease, and whether it is still alive. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';

const staleAfterMs = 30_000;

/**
 * Kind of the process that holds a lease. `detached` is the background process, which works while
 * no window or terminal is open.
 */
export type OwnerKind = 'window' | 'terminal' | 'detached';

export interface LeaseOwner {
  /** Identifies one acquisition of the lease. */
  readonly token: string;
  readonly pid: number;
  /** Distinguishes the process from a later process with the same pid. */
  readonly processStart: string;
  readonly host: string;
  /** Kind of the process. Missing in leases of older versions, which had only one kind of owner. */
  readonly kind?: OwnerKind;
}

/**
 * - `none`: there is no lease file
 * - `unreadable`: the lease file is not valid, so no process holds the lease
 */
export type LeaseReading = LeaseOwner | 'none' | 'unreadable';

export const thisProcess = (kind: OwnerKind): LeaseOwner => ({
  token: randomBytes(9).toString('hex'),
  pid: process.pid,
  processStart: processStartOf(process.pid) ?? '',
  host: hostname(),
  kind,
});

export async function readOwner(file: string): Promise<LeaseReading> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isOwner(value) ? value : 'unreadable';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'none';
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

export const tokenOf = (reading: LeaseReading): string =>
  typeof reading === 'string' ? reading : reading.token;

/**
 * Returns the owner of the lease `file` if that process is still alive. On this host, its process
 * must exist; on another host, the heartbeat must be recent.
 */
export async function liveOwner(file: string, clock: Clock): Promise<LeaseOwner | undefined> {
  const owner = await readOwner(file);
  if (typeof owner === 'string') return undefined;
  return (await isDead(file, owner, clock)) ? undefined : owner;
}

/** Returns, for example, `a VS Code window (process 12 on lab1)`. */
export function ownerText({ kind, pid, host }: LeaseOwner): string {
  const process = `process ${pid} on ${host}`;
  return kind === undefined ? process : `${kindTexts[kind]} (${process})`;
}

const kindTexts: Readonly<Record<OwnerKind, string>> = {
  window: 'a VS Code window',
  terminal: 'helios in a terminal',
  detached: 'the background process',
};

async function isDead(file: string, owner: LeaseOwner, clock: Clock): Promise<boolean> {
  if (owner.host === hostname()) return processStartOf(owner.pid) !== owner.processStart;
  try {
    return clock.now() - (await stat(file)).mtimeMs > staleAfterMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
}

/** Matches a token, which becomes part of a file name. */
const tokenPattern = /^[\w-]{1,64}$/;

const isOwner = (value: unknown): value is LeaseOwner =>
  typeof value === 'object' &&
  value !== null &&
  'token' in value &&
  typeof value.token === 'string' &&
  tokenPattern.test(value.token) &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'host' in value;

/**
 * Returns the start time of the process `pid`, which distinguishes the process from a later process
 * with the same pid. Returns an empty string if the system does not report the time, and
 * `undefined` when there is no such process.
 */
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
    // Without /proc, only the existence of the pid can be checked.
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
