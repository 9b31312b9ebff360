/**
 * `npm run test:old-tools`: the tests whose scripts run on machines, on an emulated Mac: its old
 * shell, its tools with their options, no /proc, and no setsid, timeout, nproc, flock or sha256sum.
 * `mac/enter.sh` puts it together in namespaces of its own, and nothing of it stays.
 *   npm run test:old-tools            what `npm test` runs
 *   npm run test:old-tools -- --all   every such test
 *   npm run test:old-tools -- FILE    one file
 * `HELIOS_OLD_BASH` names a bash 3.2 that becomes `sh` and `bash`; else `mac/shell` does, which refuses a
 * text that bash 3.2 could not read.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './packages.ts';
import { repositoryRoot } from './paths.ts';
import { isThere } from './needs.ts';
import { installShells } from './shells.ts';
import { installSshd } from './sshd.ts';

const packages: Readonly<Record<string, string>> = {
  '/usr/bin/posh': 'posh',
  '/usr/bin/bsdtar': 'libarchive-tools',
  '/usr/bin/original-awk': 'original-awk',
};

const config = 'test/oldTools/.mocharc.json';

/** What the emulated Mac needs; on Debian as root it is installed when missing. */
export async function installOldTools(): Promise<string> {
  const missing = (): string[] => Object.keys(packages).filter((program) => !existsSync(program));
  if (missing().length > 0) await installPackages(...Object.values(packages));
  if (missing().length === 0) return Object.keys(packages).join(', ');
  throw new Error(
    `${missing().join(', ')} are missing: the emulated Mac needs them (Debian: apt-get install ${Object.values(packages).join(' ')}).`,
  );
}

function enter(command: readonly string[]): number {
  const folder = join(repositoryRoot, 'test/setup/mac');
  // The programs of the emulation must have ended, and its mounts gone, when this process ends.
  const apart = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const shell = process.env['HELIOS_OLD_BASH'] ?? join(folder, 'shell');
  const { status, error } = spawnSync(
    'unshare',
    [...apart, '/bin/sh', join(folder, 'enter.sh'), shell, folder, ...command],
    { cwd: repositoryRoot, stdio: 'inherit' },
  );
  if (error) throw error;
  return status ?? 1;
}

async function main(args: readonly string[]): Promise<number> {
  if (!isThere('linux') || !isThere('root')) {
    console.error('The emulated Mac needs Linux and root, for namespaces of its own.');
    return 1;
  }
  // Inside, nothing can be installed.
  await installOldTools();
  await installSshd();
  await installShells();
  const isWhole = args.includes('--all');
  const files = args.filter((arg) => arg !== '--all');
  const settings = isWhole ? config.replace('.mocharc', 'whole') : config;
  return enter(files.length > 0 ? ['mocha', ...files] : ['mocha', '--config', settings]);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
