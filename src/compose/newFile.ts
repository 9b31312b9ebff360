import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { codeOf, UserFacing } from '../base/errors.ts';
import { storageFailure } from '../storage/storageFailure.ts';

/**
 * Writes a file piece by piece, for its owner alone: whole, or not at all. Rejects with `StorageFailure` when it cannot be
 * written, and with what `pieces` rejects with; what was there before is then still there. With `replaces` false, a file
 * that is there is a `UserFacing`, and stays.
 */
export async function writePieces(
  file: string,
  pieces: AsyncIterable<string>,
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const output = createWriteStream(temporary, { mode: 0o600, flags: 'wx', flush: true });
    await pipeline(pieces, output);
    if (replaces) await rename(temporary, file);
    else await link(temporary, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new UserFacing(`There is a file ${file} already.`, 'Name another one.');
    throw codeOf(error) === undefined ? error : storageFailure(error, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
