import { existsSync } from 'node:fs';
import { run } from './command.ts';

const program = '/usr/sbin/sshd';

/** The path of an OpenSSH server of this machine; on Debian as root it is installed when missing. It is not enabled. */
export async function installSshd(): Promise<string> {
  if (existsSync(program)) return program;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    // Installed without being started: tests run instances of their own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const options = ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=120', '--no-install-recommends'];
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', ...options, 'openssh-server', 'openssh-client'], { env });
  }
  if (existsSync(program)) return program;
  throw new Error(
    'An OpenSSH server is missing: tests of SSH machines connect to one of their own on 127.0.0.1. Install it ' +
      '(Debian: apt-get install openssh-server; macOS has it).',
  );
}
