/**
 * Hides the GPU tools of this machine from the tests, which bring their own: each folder of PATH
 * with `nvidia-smi` or `rocm-smi` is replaced by a folder of links to the other programs in it.
 */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { codeOf } from '../../src/base/errors.ts';
import { cacheFolder } from './paths.ts';

const gpuTools = new Set(['nvidia-smi', 'rocm-smi']);

process.env['PATH'] = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => (hasGpuTool(folder) ? linksToOthers(folder) : folder))
  .join(delimiter);

function hasGpuTool(folder: string): boolean {
  return [...gpuTools].some((name) => existsSync(join(folder, name)));
}

function linksToOthers(folder: string): string {
  const links = join(cacheFolder, 'no-gpu', folder);
  mkdirSync(links, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => !gpuTools.has(each)))
    link(join(folder, name), join(links, name));
  return links;
}

/** Another worker may have made the link already. */
function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
