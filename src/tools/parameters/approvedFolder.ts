/** Finds the folder to which an approval of a use of a path applies. */
import { posix } from 'node:path';
import { realPath } from '../../machines/realPath.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { PathAccess } from '../../permissions/access.ts';
import { isWithin } from '../../permissions/commands/operand.ts';

/**
 * Resolves with the real path of the agent's folder that holds the path, or else, for a write, of
 * the folder of the file; with `undefined` if it is not known. Never rejects.
 */
export async function approvedFolder(
  machines: Pick<Machines, 'get'>,
  { kind, machineId, path, realPath: real = path }: PathAccess,
): Promise<string | undefined> {
  try {
    const machine = machines.get(machineId);
    await machine.ready?.();
    const file = await realPath(machine, posix.resolve(machine.workFolder, real));
    const folders = await Promise.all(ownFolders(machine).map((each) => realPath(machine, each)));
    const own = folders.find((folder) => isWithin(folder, file));
    return own ?? (kind === 'write' ? posix.dirname(file) : undefined);
  } catch {
    return undefined;
  }
}

/** Returns the folders of the agent on a machine: what it works in, its runs and its worktrees. */
const ownFolders = ({ workFolder, runsFolder }: Machine): readonly string[] => [
  workFolder,
  runsFolder,
  posix.join(posix.dirname(runsFolder), 'worktrees'),
];
