import { existsSync } from 'node:fs';
import { run } from './command.ts';

/**
 * Login shells and small servers that hosts have, and what reads our scripts: program → Debian
 * package.
 */
const packages: Readonly<Record<string, string>> = {
  '/usr/bin/fish': 'fish',
  '/usr/bin/tcsh': 'tcsh',
  '/usr/bin/zsh': 'zsh',
  '/usr/bin/busybox': 'busybox-static',
  '/usr/sbin/dropbear': 'dropbear-bin',
  '/usr/bin/shellcheck': 'shellcheck',
};

/**
 * What the tests of odd hosts and of the check need; on Debian as root it is installed when
 * missing. Nothing is enabled.
 */
export async function installShells(): Promise<string> {
  const missing = (): string[] => Object.keys(packages).filter((program) => !existsSync(program));
  if (missing().length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const options = ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=120', '--no-install-recommends'];
    await run('apt-get', ['update', '-qq'], { env });
    await run(
      'apt-get',
      ['install', ...options, ...missing().map((program) => packages[program] ?? '')],
      { env },
    );
  }
  if (missing().length === 0) return Object.keys(packages).join(', ');
  throw new Error(
    `${missing().join(', ')} are missing: tests of SSH hosts with other shells and servers, and of the check, need them.`,
  );
}
