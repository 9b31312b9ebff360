/**
 * What is flushed to the disk, seen from outside: a test is told of each flush, and may hold it
 * back.
 */
import fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** The methods that all file handles share. */
export async function sharedHandle(): Promise<FileHandle> {
  const handle = await open(process.execPath, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

/**
 * Until it is called, what it returns is called before each flush of a file handle, and waited for.
 */
export async function onFlush(
  before: (how: 'sync' | 'datasync') => void | Promise<void>,
): Promise<() => void> {
  const shared = await sharedHandle();
  const { sync, datasync } = shared;
  shared.sync = async function (this: FileHandle) {
    await before('sync');
    await sync.call(this);
  };
  shared.datasync = async function (this: FileHandle) {
    await before('datasync');
    await datasync.call(this);
  };
  return () => Object.assign(shared, { sync, datasync });
}

/** The same for `fsyncSync`. */
export function onFlushSync(before: (fd: number) => void): () => void {
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => {
    before(fd);
    fsyncSync(fd);
  };
  syncBuiltinESMExports();
  return () => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  };
}
