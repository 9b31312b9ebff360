/**
 * Where benchmarks write: on the disk of the checkout, for a temporary folder may be in memory and
 * flush for free.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export const benchFolder = resolve(import.meta.dirname, '../../bench');

/** Calls `work` with a folder of its own and removes it afterwards. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(benchFolder, { recursive: true });
  const folder = await mkdtemp(join(benchFolder, 'scratch-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
