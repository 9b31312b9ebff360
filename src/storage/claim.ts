/**
 * Lock files with one owner, acquired atomically. A free file is created whole or not at all. The
 * file of a dead owner is replaced without being missing in between. Of any number of concurrent
 * claims, one succeeds.
 */
import { link, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { liveOwner, readOwner, tokenOf, type LeaseOwner } from './leaseOwner.ts';
import { storageFailure } from './storageFailure.ts';

/**
 * Resolves with false when another process claimed the file first or is still alive. Rejects with
 * `StorageFailure`.
 */
export async function claim(file: string, owner: LeaseOwner, clock: Clock): Promise<boolean> {
  const temporary = `${file}.${owner.token}`;
  try {
    await writeFile(temporary, JSON.stringify(owner), { mode: 0o600 });
    return (await isLinked(temporary, file)) || (await replaceDead(file, owner, clock));
  } catch (error) {
    throw storageFailure(error, file);
  } finally {
    await rm(temporary, { force: true });
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
 * Replaces a dead owner. Only the process that claims the guard file, named after the dead owner,
 * may do so; the owner is read again under the guard. A guard whose own holder died is replaced in
 * the same way.
 */
async function replaceDead(file: string, owner: LeaseOwner, clock: Clock): Promise<boolean> {
  const deadToken = tokenOf(await readOwner(file));
  if (deadToken === 'none' || (await liveOwner(file, clock)) !== undefined) return false;
  const guard = `${file}.${deadToken}.dead`;
  if (!(await claim(guard, owner, clock))) return false;
  try {
    if (tokenOf(await readOwner(file)) !== deadToken) return false;
    await rename(`${file}.${owner.token}`, file);
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}
