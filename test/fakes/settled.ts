import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const writes = 20;

/**
 * Lets whatever is under way get on for as long as a row of writes takes to reach the disk of
 * `folder`: a time that grows with the load of the machine. For what must not happen any more.
 */
export async function settled(folder: string): Promise<void> {
  const file = path.join(folder, 'settled');
  for (let count = 0; count < writes; count += 1) {
    await writeFile(file, String(count), { flush: true });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await rm(file);
}
