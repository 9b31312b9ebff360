import path from 'node:path';
import { delay, systemClock, type Clock } from '../base/clock.ts';
import { UserFacing } from '../base/errors.ts';
import { removeFile } from '../base/heldFiles.ts';
import { claim } from './claim.ts';
import { thisProcess } from './leaseOwner.ts';
import { makeFolder } from './makeFolder.ts';

const pollMs = 10;
/** Maximum wait for other processes. A change takes only some milliseconds. */
const limitMs = 10_000;

/**
 * Runs `work`, which reads `file` and replaces it, while no other process does so. A lock of a
 * process that died is ignored. Rejects with `UserFacing` if other processes do not finish in time,
 * with `StorageFailure` if the lock cannot be written, and with the error of `work`.
 */
export async function exclusively<Value>(
  file: string,
  work: () => Promise<Value>,
  clock: Clock = systemClock,
): Promise<Value> {
  const lock = `${file}.lock`;
  const owner = await thisProcess('terminal');
  await makeFolder(path.dirname(file));
  for (let waitedMs = 0; (await claim(lock, owner, clock)) === undefined; waitedMs += pollMs) {
    if (waitedMs >= limitMs)
      throw new UserFacing(`${file} is being changed by another process.`, 'Try again.');
    await delay(clock, pollMs);
  }
  try {
    return await work();
  } finally {
    await removeFile(lock);
  }
}
