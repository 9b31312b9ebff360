import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { makeFolders } from '../base/folders.ts';
import { removeFile, replaceFile, type HeldFileDeps } from '../base/heldFiles.ts';
import { storageFailure } from './storageFailure.ts';

/**
 * Replaces the content of `file` by `content` atomically: even after a crash, a reader sees either
 * the old or the new content. By default, only the user can access the file. Creates missing parent
 * folders, with the same access as the file. If the write fails, rejects with `StorageFailure`, and
 * the old content stays.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  mode = 0o600,
  replacing?: HeldFileDeps,
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await makeFolders(path.dirname(file), mode | ((mode & 0o444) >> 2));
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await replaceFile(temporary, file, replacing);
  } catch (error) {
    // Ignores an error of `removeFile`, which can fail for the same reason as the write, for example
    // without permission for the folder.
    await removeFile(temporary).catch(() => undefined);
    throw storageFailure(error, file);
  }
}
