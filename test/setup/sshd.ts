import { existsSync } from 'node:fs';
import { installPackages } from './packages.ts';

const program = '/usr/sbin/sshd';

/**
 * The path of an OpenSSH server of this machine; on Debian as root it is installed when missing. It
 * is not enabled.
 */
export async function installSshd(): Promise<string> {
  if (existsSync(program)) return program;
  await installPackages('openssh-server', 'openssh-client');
  if (existsSync(program)) return program;
  throw new Error(
    'An OpenSSH server is missing: tests of SSH machines connect to one of their own on 127.0.0.1. Install it ' +
      '(Debian: apt-get install openssh-server; macOS has it).',
  );
}
