/** What Helios ships, built as it is shipped, for benchmarks of whole processes. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const root = resolve(import.meta.dirname, '../..');

/** Resolves with the folder of the bundles. */
export async function buildProduct(): Promise<string> {
  await promisify(execFile)(process.execPath, [join(root, 'esbuild.mjs'), '--production'], {
    cwd: root,
  });
  return join(root, 'dist');
}

/**
 * Built, and copied into `folder`: what is built while a long benchmark runs does not change what
 * it measures.
 */
export async function productIn(folder: string): Promise<string> {
  const isShipped = (file: string): boolean => !file.endsWith('.map');
  await cp(await buildProduct(), folder, { recursive: true, filter: isShipped });
  return folder;
}
