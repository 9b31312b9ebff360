/** What Helios ships, built as it is shipped, for benchmarks of whole processes. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const root = resolve(import.meta.dirname, '../..');

const folder = join(root, 'dist');

/** The environment of a process for which the product has been built already. */
export const whenBuilt = { HELIOS_BENCH_BUILT: root } as const;

/** Resolves with the folder of the bundles. */
export async function buildProduct(): Promise<string> {
  if (process.env['HELIOS_BENCH_BUILT'] === whenBuilt.HELIOS_BENCH_BUILT) return folder;
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
