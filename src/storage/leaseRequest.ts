/** A note beside a lease with which somebody asks its holder to hand it over. */
import { watch, type FSWatcher } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { codeOf } from '../base/errors.ts';
import { writeFileAtomic } from './atomicFile.ts';

const requestFile = (leaseFile: string): string => `${leaseFile}.wanted`;

/** The holder that is asked is named, so that the note means nothing to whoever comes after it. */
export const writeRequest = (leaseFile: string, token: string): Promise<void> =>
  writeFileAtomic(requestFile(leaseFile), token, 0o600);

export const removeRequest = (leaseFile: string): Promise<void> =>
  rm(requestFile(leaseFile), { force: true });

export async function isRequested(leaseFile: string, token: string): Promise<boolean> {
  try {
    return (await readFile(requestFile(leaseFile), 'utf8')) === token;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Calls `onChange` when something beside the lease changes; a hint, which not every file system
 * gives.
 */
export function watchLease(leaseFile: string, onChange: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  const close = (): void => watcher?.close();
  const name = path.basename(leaseFile);
  try {
    watcher = watch(path.dirname(leaseFile), { persistent: false }, (_, changed) => {
      if (changed === null || changed.startsWith(name)) onChange();
    });
    watcher.on('error', close);
  } catch (error) {
    // No handles left, or a file system without events: the heartbeat asks as well.
    if (codeOf(error) === undefined) throw error;
  }
  return toDisposable(close);
}
