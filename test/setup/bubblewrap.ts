import { existsSync } from 'node:fs';
import { installPackages } from './packages.ts';

const program = '/usr/bin/bwrap';

/** The path of bubblewrap, which confines commands; on Debian as root it is installed when missing. */
export async function installBubblewrap(): Promise<string> {
  if (existsSync(program)) return program;
  await installPackages('bubblewrap');
  if (existsSync(program)) return program;
  throw new Error(
    'bubblewrap is missing: tests of confined commands need it. Install it (Debian: apt-get install bubblewrap).',
  );
}
