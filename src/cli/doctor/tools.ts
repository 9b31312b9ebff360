import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeOf, messageOf } from '../../base/errors.ts';
import { bareEnvironment, type HostSystem } from '../../base/hostSystem.ts';
import { programCall } from '../../base/windowsPrograms.ts';
import { note, ok, warning, type Finding, type Section } from './finding.ts';

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  /** Message for the user: what does not work without the program. */
  readonly without: string;
  /** True if much of Helios does not work without the program. Default: false. */
  readonly isNeeded?: boolean;
}

const programs: readonly Program[] = [
  {
    name: 'git',
    args: ['--version'],
    without: 'Experiments cannot store their code.',
    isNeeded: true,
  },
  {
    name: 'python3',
    args: ['--version'],
    without: 'Most training scripts cannot run here.',
    isNeeded: true,
  },
  {
    name: 'ssh',
    args: ['-V'],
    without: 'Hosts behind a ProxyCommand with ssh cannot be reached.',
  },
  { name: 'rsync', args: ['--version'], without: 'Not needed: Helios copies files on its own.' },
  { name: 'nvidia-smi', args: ['-L'], without: 'This computer shows no NVIDIA GPU.' },
];

const timeoutMs = 10_000;

export async function toolFindings(nodeVersion: string, system: HostSystem): Promise<Section> {
  const found = await Promise.all(programs.map((program) => findingOf(program, system)));
  return { title: 'Programs on this computer', findings: [ok('node', nodeVersion), ...found] };
}

async function findingOf(
  { name, args, without, isNeeded }: Program,
  system: HostSystem,
): Promise<Finding> {
  try {
    const { stdout, stderr } = await promisify(execFile)(programCall(system, name), args, {
      timeout: timeoutMs,
      env: { ...bareEnvironment(system), LC_ALL: 'C' },
      windowsHide: true,
    });
    const [line = ''] = (stdout.trim() || stderr.trim()).split('\n');
    return ok(name, line.trim());
  } catch (error) {
    const what =
      codeOf(error) === 'ENOENT'
        ? `is not installed. ${without}`
        : `does not work: ${messageOf(error).trim()}`;
    return isNeeded ? warning(name, what) : note(name, what);
  }
}
