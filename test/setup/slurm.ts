import { existsSync } from 'node:fs';
import { installPackages } from './packages.ts';

const programs = ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch', '/usr/sbin/munged'];

/**
 * The path of a Slurm controller of this machine; on Debian as root it is installed when missing.
 * It is not enabled.
 */
export async function installSlurm(): Promise<string> {
  const isThere = (): boolean => programs.every((program) => existsSync(program));
  if (!isThere()) await installPackages('slurm-wlm', 'munge');
  if (isThere()) return '/usr/sbin/slurmctld';
  throw new Error(
    'Slurm is missing: tests of Slurm machines run a cluster of their own on 127.0.0.1. Install it ' +
      '(Debian, as root: apt-get install slurm-wlm munge).',
  );
}
