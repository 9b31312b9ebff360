/** A disk without room for journals, until room is made. */
import type { FileHandle } from 'node:fs/promises';
import { sharedHandle } from './flushes.ts';

export interface FullDisk {
  /** From now on appending works again. */
  makeRoom(): void;
}

/**
 * Appending fails as on a full disk, or with `code`, half of the bytes written. Reading, and
 * writing whole files, goes on.
 */
export async function fillDisk(
  isFull: (text: string) => boolean = () => true,
  code = 'ENOSPC',
): Promise<FullDisk> {
  const shared = await sharedHandle();
  const append = shared.appendFile;
  shared.appendFile = async function (this: FileHandle, data, options) {
    const text = String(data);
    if (!isFull(text)) return append.call(this, data, options);
    await append.call(this, text.slice(0, Math.ceil(text.length / 2)), options);
    throw Object.assign(new Error(`${code}: the disk takes nothing, write`), { code });
  };
  return {
    makeRoom() {
      shared.appendFile = append;
    },
  };
}
