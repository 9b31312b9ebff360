import { randomBytes } from 'node:crypto';
import { link, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { codeOf, UserFacing } from '../base/errors.ts';
import { HeldFile, removeFile, replaceFile } from '../base/heldFiles.ts';
import { storageFailure } from '../storage/storageFailure.ts';

/**
 * Writes a file in pieces, atomically and readable only by its owner. Rejects with `StorageFailure`
 * if the file cannot be written, or with the error of `pieces`; an existing file is then unchanged.
 * If `replaces` is false and the file exists, rejects with `UserFacing`.
 */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<string>,
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    // The file is opened before the stream is created. A stream that opens the file itself may
    // create it even after the stream has failed, and leave it behind.
    const handle = await open(temporary, 'wx', 0o600);
    await pipeline(pieces, handle.createWriteStream({ flush: true }));
    if (replaces) await replaceFile(temporary, file);
    else await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new UserFacing(`${file} already exists.`, 'Choose another name.');
    const isOfSystem = codeOf(error) !== undefined || error instanceof HeldFile;
    throw isOfSystem ? storageFailure(error, file) : error;
  } finally {
    await removeFile(temporary);
  }
}
