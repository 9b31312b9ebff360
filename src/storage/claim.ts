/**
 * Lock files, each with one owner. Of any number of processes that claim the same file at the same
 * moment, exactly one succeeds. A new lock file appears complete or not at all. When its owner has
 * died, the file is replaced in one step and is never missing in between.
 */
import { link, stat, writeFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { heldFilesOn, removeFile, replaceFile, type HeldFileDeps } from '../base/heldFiles.ts';
import { liveOwner, readOwner, tokenOf, type LeaseOwner } from './leaseOwner.ts';
import { systemProcesses, type Processes } from './processes.ts';
import { storageFailure } from './storageFailure.ts';

export interface Claim {
  /** Time at which the file of the dead owner was last written. Omitted if there was no owner. */
  readonly lastSeenMs?: number;
}

/** What tests replace. */
export interface ClaimDeps {
  readonly processes?: Processes;
  readonly held?: HeldFileDeps;
}

/**
 * Claims `file` for `owner`. Resolves with `undefined` when another process claimed the file first
 * or its owner is still alive. Rejects with `StorageFailure`.
 */
export async function claim(
  file: string,
  owner: LeaseOwner,
  clock: Clock,
  deps: ClaimDeps = {},
): Promise<Claim | undefined> {
  const temporary = `${file}.${owner.token}`;
  try {
    await writeFile(temporary, JSON.stringify(owner), { mode: 0o600 });
    if (await isLinked(temporary, file)) return {};
    return await replaceDead(file, owner, clock, deps);
  } catch (error) {
    throw storageFailure(error, file);
  } finally {
    await removeFile(temporary, {}, deps.held);
  }
}

async function isLinked(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Replaces the lock of a dead owner. Only the process that claims a guard file, named after the
 * dead owner, may replace the lock; that process first checks again that the lock still belongs to
 * the dead owner. If the holder of the guard file died, the guard file is replaced in the same way.
 */
async function replaceDead(
  file: string,
  owner: LeaseOwner,
  clock: Clock,
  deps: ClaimDeps,
): Promise<Claim | undefined> {
  const { processes = systemProcesses, held = heldFilesOn(clock) } = deps;
  const deadToken = tokenOf(await readOwner(file));
  if (deadToken === 'none' || (await liveOwner(file, clock, processes)) !== undefined)
    return undefined;
  const guard = `${file}.${deadToken}.dead`;
  if ((await claim(guard, owner, clock, deps)) === undefined) return undefined;
  try {
    if (tokenOf(await readOwner(file)) !== deadToken) return undefined;
    const { mtimeMs } = await stat(file);
    await replaceFile(`${file}.${owner.token}`, file, held);
    return { lastSeenMs: Math.floor(mtimeMs) };
  } finally {
    await removeFile(guard, {}, held);
  }
}
