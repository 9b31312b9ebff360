/** Decides whether the mandate covers a call: what the agent may do without asking anybody. */
import { posix } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { realPath } from '../../machines/realPath.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { Access, CommandAccess, PathAccess } from '../../permissions/access.ts';
import { isWithin } from '../../permissions/commands/operand.ts';

/**
 * Resolves with why the mandate does not cover a call, as the rest of a sentence; `undefined` if it
 * covers all its accesses. `container`: id of a container, in which it covers everything. Never
 * rejects.
 */
export async function outsideMandate(
  machines: Pick<Machines, 'get' | 'list'>,
  { accesses }: { readonly accesses: readonly Access[] },
  { container }: { readonly container?: string | undefined } = {},
): Promise<string | undefined> {
  const elsewhere = accesses.filter((access) => !isInside(machines, access, container));
  const reasons = await Promise.all(elsewhere.map((access) => outsideOf(machines, access)));
  return reasons.find((reason) => reason !== undefined);
}

const isInside = (
  machines: Pick<Machines, 'list'>,
  access: Access,
  container: string | undefined,
): boolean =>
  access.kind !== 'host' &&
  access.machineId === container &&
  machines.list().some(({ id, kind }) => id === container && kind === 'container');

async function outsideOf(
  machines: Pick<Machines, 'get'>,
  access: Access,
): Promise<string | undefined> {
  if (access.kind === 'host') return `it contacts ${access.host}`;
  return access.kind === 'command' ? outsideCommand(access) : outsidePath(machines, access);
}

function outsideCommand({ verdict }: CommandAccess): string | undefined {
  const reason = verdict?.outside ?? verdict?.reason;
  return verdict?.kind === 'safe' || reason === '' ? undefined : `the command ${reason}`;
}

async function outsidePath(
  machines: Pick<Machines, 'get'>,
  access: PathAccess,
): Promise<string | undefined> {
  const { kind, path, realPath: real = path } = access;
  const verb = kind === 'read' ? 'reads' : 'writes';
  try {
    const machine = machines.get(access.machineId);
    await machine.ready?.();
    const absolute = posix.resolve(machine.workFolder, real);
    const folders = await grantedFolders(machine);
    return folders.some((folder) => isWithin(folder, absolute)) ? undefined : `it ${verb} ${path}`;
  } catch (error) {
    return `it ${verb} ${path}, and that place is not known: ${messageOf(error)}`;
  }
}

/** Resolves with the granted folders of a machine, each as named and with links resolved. */
async function grantedFolders(machine: Machine): Promise<readonly string[]> {
  const folders = ownFolders(machine);
  return [...folders, ...(await Promise.all(folders.map((each) => realPath(machine, each))))];
}

const ownFolders = ({ workFolder, runsFolder }: Machine): readonly string[] => [
  workFolder,
  runsFolder,
  posix.join(posix.dirname(runsFolder), 'worktrees'),
];
