/**
 * Gives the tests a Python of their own: the `python3` of this machine without its packages, in front
 * of PATH. The shim of a version manager, and what packages run at each start, take several times as
 * long as Python itself.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { codeOf } from '../../src/base/errors.ts';
import { cacheFolder } from './paths.ts';

const root = join(cacheFolder, 'python');
const folders = (process.env['PATH'] ?? '').split(delimiter);
const others = folders.filter((folder) => !folder.startsWith(root));

/** PATH without the Python of the tests. */
export const pathWithoutIt = others.join(delimiter);

// A worker has it from the process that started it.
const executable = others.length === folders.length ? executableOf('python3') : undefined;
if (executable !== undefined)
  process.env['PATH'] = [environmentOf(dirname(executable)), pathWithoutIt].join(delimiter);

/** None where there is no such Python; the tests that need it say so. */
function executableOf(name: string): string | undefined {
  const script = 'import sys; print(sys._base_executable)';
  const { status, stdout } = spawnSync(name, ['-c', script], { encoding: 'utf8' });
  return status === 0 && process.platform !== 'win32' ? stdout.trim() : undefined;
}

/** A virtual environment, made by hand and without pip. */
function environmentOf(home: string): string {
  const folder = join(root, home);
  mkdirSync(folder, { recursive: true });
  const settings = join(folder, 'pyvenv.cfg');
  if (!existsSync(settings))
    writeFileSync(settings, `home = ${home}\ninclude-system-site-packages = false\n`);
  for (const name of ['python3', 'python'].filter((each) => existsSync(join(home, each))))
    link(join(home, name), join(folder, name));
  return folder;
}

/** Another run may have made the link already. */
function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}
