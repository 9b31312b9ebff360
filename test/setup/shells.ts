import { existsSync } from 'node:fs';
import { installPackages } from './packages.ts';

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
  if (missing().length > 0)
    await installPackages(...missing().map((program) => packages[program] ?? ''));
  if (missing().length === 0) return Object.keys(packages).join(', ');
  throw new Error(
    `${missing().join(', ')} are missing: tests of SSH hosts with other shells and servers, and of the check, need them.`,
  );
}
