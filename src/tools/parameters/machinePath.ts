/** Resolves paths written by models on the machine that they belong to. */
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
  /** Checks that protect git. Omitted if git is not protected. */
  readonly git?: GitProtection;
}

/**
 * Resolves with the absolute path: `~` is the home folder of the machine, and a relative path
 * starts at the machine's working folder.
 */
export async function machinePath(machine: Machine, path: string): Promise<string> {
  await machine.ready?.({ mayAsk: true });
  if (path === '~' || path.startsWith('~/'))
    return posix.join(await homeOf(machine), path.slice(1));
  return posix.resolve(machine.workFolder, path);
}

/**
 * Resolves with the absolute path of a file to be written. Rejects with `ToolFailure` if the path
 * belongs to git.
 */
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

/** Appends the name of the machine to the text, except for `local`. */
export const onMachine = (text: string, id: string): string =>
  id === 'local' ? text : `${text} on ${id}`;

/** Returns the changed files that views link to: only files on this computer. */
export const changedFiles = (
  machine: Machine,
  path: string,
): { readonly changedFiles?: readonly string[] } =>
  machine.kind === 'local' ? { changedFiles: [path] } : {};
