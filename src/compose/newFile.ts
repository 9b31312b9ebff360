import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { codeOf, UserFacing } from '../base/errors.ts';
import { storageFailure } from '../storage/storageFailure.ts';

/**
 * Writes a file piece by piece, for its owner alone: whole, or not at all. Rejects with
 * `StorageFailure` when it cannot be written, and with what `pieces` rejects with; what was there
 * before is then still there. With `replaces` false, a file that is there is a `UserFacing`, and
 * stays.
 */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<string>,
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    // Opened first: a stream that opens it by itself may do so after the failure, and leave it
    // behind.
    const handle = await open(temporary, 'wx', 0o600);
    await pipeline(pieces, handle.createWriteStream({ flush: true }));
    if (replaces) await rename(temporary, file);
    else await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new UserFacing(`There is a file ${file} already.`, 'Name another one.');
    throw codeOf(error) === undefined ? error : storageFailure(error, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
