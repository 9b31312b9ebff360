/** The owner of a lease, and whether it is still alive. */
import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { systemProcesses, type Processes } from './processes.ts';

/** Age of a heartbeat after which at least five have been missed, if the holder was awake. */
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
  /**
   * Distinguishes the process from a later process with the same pid. Empty if the system does not
   * report it; missing in damaged leases.
   */
  readonly processStart?: string;
  readonly host: string;
  /** Kind of the process. Missing in leases of older versions, which had only one kind of owner. */
  readonly kind?: OwnerKind;
}

/**
 * - `none`: there is no lease file
 * - `unreadable`: the lease file is not valid, so no process holds the lease
 */
export type LeaseReading = LeaseOwner | 'none' | 'unreadable';

export const thisProcess = async (
  kind: OwnerKind,
  processes: Processes = systemProcesses,
): Promise<LeaseOwner> => ({
  token: randomBytes(9).toString('hex'),
  pid: process.pid,
  processStart: (await processes.find(process.pid))?.start ?? '',
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
 * must exist; where the start times cannot show that it is the same process, and on another host,
 * the heartbeat must be recent.
 */
export async function liveOwner(
  file: string,
  clock: Clock,
  processes: Processes = systemProcesses,
): Promise<LeaseOwner | undefined> {
  const owner = await readOwner(file);
  if (typeof owner === 'string') return undefined;
  const heartbeatMs = await heartbeatOf(file);
  if (heartbeatMs === undefined) return undefined;
  return (await isDead(owner, clock.now() - heartbeatMs, processes)) ? undefined : owner;
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

async function heartbeatOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param ageMs Age of the heartbeat. */
async function isDead(owner: LeaseOwner, ageMs: number, processes: Processes): Promise<boolean> {
  const { awake } = processes;
  // The name of a computer may change with its network, for example while it slept.
  if (owner.host !== hostname())
    return ageMs > staleAfterMs && (!awake.hasSlept || awake.awakeMs() > staleAfterMs);
  const found = await processes.find(owner.pid);
  if (found === undefined) return true;
  if (found.start !== '' && owner.processStart) return found.start !== owner.processStart;
  // The process may be another one with the same pid.
  if (ageMs > processes.uptimeMs()) return true;
  return ageMs > staleAfterMs && (!found.isOurs || awake.awakeMs() > staleAfterMs);
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
