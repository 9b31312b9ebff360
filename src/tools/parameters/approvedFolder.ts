/** Finds the folder to which an approval of a use of a path applies. */
import { isInFolder } from '../../machines/absolutePath.ts';
import { realPath } from '../../machines/realPath.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { PathAccess } from '../../permissions/access.ts';

/**
 * Resolves with the folder to which an approval of the path applies, as a real path: the agent's
 * folder that contains the path. For a write outside the agent's folders, resolves with the folder
 * of the file. Resolves with `undefined` if the folder is not known. Never rejects.
 */
export async function approvedFolder(
  machines: Pick<Machines, 'get'>,
  { kind, machineId, path, realPath: real = path }: PathAccess,
): Promise<string | undefined> {
  try {
    const machine = machines.get(machineId);
    await machine.ready?.();
    const { path: paths } = machine;
    const file = await realPath(machine, paths.resolve(machine.workFolder, real));
    const folders = await Promise.all(ownFolders(machine).map((each) => realPath(machine, each)));
    const own = folders.find((folder) => isInFolder(paths, folder, file));
    return own ?? (kind === 'write' ? paths.dirname(file) : undefined);
  } catch {
    return undefined;
  }
}

/**
 * Returns the folders of the agent on a machine: the working folder, the folder of runs, and the
 * worktrees.
 */
const ownFolders = ({ path: paths, workFolder, runsFolder }: Machine): readonly string[] => [
  workFolder,
  runsFolder,
  paths.join(paths.dirname(runsFolder), 'worktrees'),
];
