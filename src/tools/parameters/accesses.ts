import { absolutePath } from '../../machines/absolutePath.ts';
import type { Machines } from '../../machines/machine.ts';
import type { Access, CommandAccess } from '../../permissions/access.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import type { MachineTools } from './machinePath.ts';
import { resolvedRead, treeReads } from './pathAccesses.ts';
import { placeAccess, writePlace } from './writePlace.ts';

/**
 * Returns the access to a path on a machine, for the approval. Does not connect to the machine:
 * before the first connection, the path is returned as given in the call.
 */
export const pathAccess = (
  kind: 'read' | 'write',
  machines: Pick<Machines, 'get'>,
  { machineId, path }: { readonly machineId: string; readonly path: string },
): Access => ({ kind, machineId, path: knownPath(machines, machineId, path) });

/**
 * Resolves with the access to a path, with links resolved. Before the first connection to the
 * machine, and if the machine does not answer, the path is not resolved: the call itself then
 * refuses to leave the working folder.
 */
export async function realAccess(
  kind: 'read' | 'write',
  machines: Pick<Machines, 'get'>,
  { machineId, path }: { readonly machineId: string; readonly path: string },
): Promise<Access> {
  const known = knownPath(machines, machineId, path);
  try {
    return placeAccess(kind, machineId, known, await writePlace(machines.get(machineId), known));
  } catch {
    return { kind, machineId, path: known };
  }
}

export const writeAccess = (
  machines: Pick<Machines, 'get'>,
  place: { readonly machineId: string; readonly path: string },
): Promise<Access> => realAccess('write', machines, place);

/**
 * Resolves with the access of a read, with the path as given in the call and its real path. Before
 * the first connection to the machine, and if the machine does not answer, the path is not
 * resolved: the call itself then refuses keys.
 */
export async function readAccess(
  machines: Pick<Machines, 'get'>,
  { machineId, path }: { readonly machineId: string; readonly path: string },
): Promise<Access> {
  const known = knownPath(machines, machineId, path);
  try {
    return await resolvedRead(machines.get(machineId), known);
  } catch {
    return { kind: 'read', machineId, path: known };
  }
}

/** Resolves with the accesses of a read of a file or a whole folder, as `readAccess` does. */
export async function treeAccesses(
  { machines, paths = usualPaths }: MachineTools,
  { machineId, path }: { readonly machineId: string; readonly path: string },
): Promise<readonly Access[]> {
  const known = knownPath(machines, machineId, path);
  try {
    return await treeReads(machines.get(machineId), known, paths);
  } catch {
    return [{ kind: 'read', machineId, path: known }];
  }
}

/** Returns the access of a command. `folder` is as given in the call. */
export const commandAccess = (
  machineId: string,
  command: string,
  folder?: string,
): CommandAccess => ({
  kind: 'command',
  machineId,
  command,
  ...(folder !== undefined && { folder }),
});

function knownPath(machines: Pick<Machines, 'get'>, machineId: string, path: string): string {
  try {
    return absolutePath(machines.get(machineId), path);
  } catch {
    // The machine is unknown or was not reached yet. The call itself reports that.
    return path;
  }
}
