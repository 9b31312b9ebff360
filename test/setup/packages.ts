import { existsSync } from 'node:fs';
import { run } from './command.ts';

/**
 * Installs packages of Debian without starting what they bring; does nothing where there is no apt,
 * or no right to.
 */
export async function installPackages(...names: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // Installed without being started: tests run instances of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=600', '--no-install-recommends'];
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', ...options, ...names], { env });
}
