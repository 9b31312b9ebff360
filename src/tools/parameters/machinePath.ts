/** Paths as models write them, on the machine that they mean. */
import { posix } from 'node:path';
import * as z from 'zod';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { GitProtection } from './gitProtection.ts';

export const machineId = z
  .string()
  .min(1)
  .default('local')
  .describe('Machine id from list_machines. Default: local.');

export interface MachineTools {
  readonly machines: Pick<Machines, 'get'>;
  /** Absent: git is not protected. */
  readonly git?: GitProtection;
}

/**
 * `path` as an absolute one: `~` is the home folder there, anything relative starts at the
 * machine's working folder.
 */
export async function machinePath(machine: Machine, path: string): Promise<string> {
  await machine.ready?.({ mayAsk: true });
  if (path === '~' || path.startsWith('~/'))
    return posix.join(await homeOf(machine), path.slice(1));
  return posix.resolve(machine.workFolder, path);
}

/** The same, of a file that is to be written. Rejects with `ToolFailure` where it is git's. */
export async function writtenPath(
  { git }: MachineTools,
  machine: Machine,
  path: string,
): Promise<string> {
  const absolute = await machinePath(machine, path);
  git?.path(absolute);
  return absolute;
}

async function homeOf(machine: Machine): Promise<string> {
  return machine.homeFolder ?? (await machine.exec('printf %s "$HOME"', { cwd: '/' })).stdout;
}

/** `local` needs no mention. */
export const onMachine = (text: string, id: string): string =>
  id === 'local' ? text : `${text} on ${id}`;

/** What the views link to: files on this computer only. */
export const changedFiles = (
  machine: Machine,
  path: string,
): { readonly changedFiles?: readonly string[] } =>
  machine.kind === 'local' ? { changedFiles: [path] } : {};
