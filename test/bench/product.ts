/** What Helios ships, built as it is shipped, for benchmarks of whole processes. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isBuilt, repositoryRoot } from '../setup/paths.ts';

export const root = repositoryRoot;

const folder = join(root, 'dist');

/** Resolves with the folder of the bundles. */
export async function buildProduct(): Promise<string> {
  if (isBuilt()) return folder;
  await promisify(execFile)(process.execPath, [join(root, 'esbuild.mjs'), '--production'], {
    cwd: root,
  });
  return folder;
}

/**
 * Built, and copied into `target`: what is built while a long benchmark runs does not change what
 * it measures.
 */
export async function productIn(target: string): Promise<string> {
  const isShipped = (file: string): boolean => !file.endsWith('.map');
  await cp(await buildProduct(), target, { recursive: true, filter: isShipped });
  return target;
}
