/**
 * Files that one process owns, taken in one step: a free one is made whole or not at all, a dead
 * owner's is replaced without a moment in which it is missing. However many try at once, one gets
 * it.
 */
import { link, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { liveOwner, readOwner, tokenOf, type LeaseOwner } from './leaseOwner.ts';
import { storageFailure } from './storageFailure.ts';

/** False when somebody else came first, or lives. Throws `StorageFailure`. */
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
 * Whoever claims the guard that is named after the dead owner may replace that owner, and nobody
 * else may: what was read before the guard is read again behind it. A guard whose own holder died
 * is replaced in the same way.
 */
async function replaceDead(file: string, owner: LeaseOwner, clock: Clock): Promise<boolean> {
  const found = tokenOf(await readOwner(file));
  if (found === 'none' || (await liveOwner(file, clock)) !== undefined) return false;
  const guard = `${file}.${found}.dead`;
  if (!(await claim(guard, owner, clock))) return false;
  try {
    if (tokenOf(await readOwner(file)) !== found) return false;
    await rename(`${file}.${owner.token}`, file);
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}
