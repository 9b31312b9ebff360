/** A request file next to a lease, which asks the holder to hand the lease over. */
import { watch, type FSWatcher } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { removeFile } from '../base/heldFiles.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { codeOf } from '../base/errors.ts';
import { writeFileAtomic } from './atomicFile.ts';

const requestFile = (leaseFile: string): string => `${leaseFile}.wanted`;

/**
 * Writes the request. `token` identifies the current holder, so that a later holder ignores the
 * request.
 */
export const writeRequest = (leaseFile: string, token: string): Promise<void> =>
  writeFileAtomic(requestFile(leaseFile), token, 0o600);

export const removeRequest = (leaseFile: string): Promise<void> =>
  removeFile(requestFile(leaseFile));

export async function isRequested(leaseFile: string, token: string): Promise<boolean> {
  try {
    return (await readFile(requestFile(leaseFile), 'utf8')) === token;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Calls `onChange` when a file in the lease's folder changes. Callers must poll as well: not every
 * file system reports changes.
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
    // The system has no more watch handles, or the file system reports no events. The holder also
    // checks at each heartbeat.
    if (codeOf(error) === undefined) throw error;
  }
  return toDisposable(close);
}
