import { posix } from 'node:path';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';

/**
 * Returns the access to a path on a machine, for the approval. Does not connect to the machine:
 * before the first connection, the path stays as the call wrote it.
 */
export const pathAccess = (
  kind: 'read' | 'write',
  machines: Pick<Machines, 'get'>,
  { machineId, path }: { readonly machineId: string; readonly path: string },
): Access => ({ kind, machineId, path: knownPath(machines, machineId, path) });

export const commandAccess = (machineId: string, command: string): Access => ({
  kind: 'command',
  machineId,
  command,
});

function knownPath(machines: Pick<Machines, 'get'>, machineId: string, path: string): string {
  try {
    return absolute(machines.get(machineId), path);
  } catch {
    // The machine is unknown or was not reached yet. The call itself reports that.
    return path;
  }
}

function absolute({ homeFolder, workFolder }: Machine, path: string): string {
  const isInHome = path === '~' || path.startsWith('~/');
  if (!isInHome) return posix.resolve(workFolder, path);
  return homeFolder === undefined ? path : posix.join(homeFolder, path.slice(1));
}
