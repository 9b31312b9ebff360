/**
 * Decides whether the mandate covers a call, so that the agent may make it without asking anybody.
 */
import { messageOf } from '../../base/errors.ts';
import { absolutePath, isBelowHome, isInFolder } from '../../machines/absolutePath.ts';
import { pathFacts } from '../../machines/realPath.ts';
import { caches } from '../../machines/confinement/policy.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { writeAdvice } from '../../permissions/mandate/paths.ts';
import type { Access, CommandAccess, PathAccess } from '../../permissions/access.ts';
import {
  isGrantedHost,
  type MachineMandate,
  type Mandate,
} from '../../permissions/mandate/mandate.ts';

export interface MandateInForce {
  readonly mandate: Mandate;
  /** True if the git guard of Helios checks each call of git when the call runs. */
  readonly isGitGuarded: boolean;
  /** Id of a container in which the mandate covers everything. */
  readonly container?: string | undefined;
}

type MandatedMachine = Pick<
  Machine,
  'id' | 'path' | 'query' | 'filesOnly' | 'ready' | 'workFolder' | 'homeFolder' | 'runsFolder'
>;

/**
 * Resolves with the mandate on a machine. Its folders are absolute paths, both as named and with
 * links resolved, so that a sandbox can be built from them. Resolves with `undefined` if the
 * mandate does not grant the machine. Rejects with `MachineFailure` if the machine does not answer.
 */
export async function machineMandate(
  machine: MandatedMachine,
  { mandate, isGitGuarded }: MandateInForce,
): Promise<MachineMandate | undefined> {
  const { machines, commands, programs, hosts, installs } = mandate;
  if (!machines.includes('*') && !machines.includes(machine.id)) return undefined;
  await machine.ready?.();
  const named = [mandate.folders, mandate.reads].map((list) =>
    list.flatMap((folder) => foldersOf(folder, machine)),
  );
  const facts = await pathFacts(machine, named.flat());
  const [folders = [], reads = []] = named.map((list, at) =>
    withReal(list, facts.slice(at === 0 ? 0 : (named[0]?.length ?? 0))),
  );
  return { folders, reads, commands, programs, hosts, installs, isGitGuarded };
}

const withReal = (
  folders: readonly string[],
  facts: readonly { readonly real?: string }[],
): readonly string[] => [
  ...new Set(folders.flatMap((folder, at) => [folder, facts[at]?.real ?? folder])),
];

/** Returns the absolute paths on a machine to which a folder of a mandate refers. */
function foldersOf(folder: string, machine: MandatedMachine): readonly string[] {
  const { id, path: paths, workFolder, runsFolder, homeFolder } = machine;
  const isWindows = paths.sep === '\\';
  const isOnDrive = isWindows && /^[a-z]:[\\/]/i.test(folder);
  const [, machineId = id, text = folder] =
    (isOnDrive ? undefined : /^([\w.-]+):(.+)$/s.exec(folder)) ?? [];
  // On Windows, `/tmp` means a folder of the other machines.
  if (machineId !== id || (isWindows && text.startsWith('/'))) return [];
  if (text === '.')
    return [workFolder, runsFolder, paths.join(paths.dirname(runsFolder), 'worktrees')];
  return isBelowHome(machine, text) && homeFolder === undefined
    ? []
    : [absolutePath(machine, text)];
}

const temporaryFolders: readonly string[] = ['/tmp', '/var/tmp'];
/**
 * Caches that every confined command can change, so they need not be granted. Paths as a mandate
 * would write them.
 */
const usualCaches: ReadonlySet<string> = new Set(
  caches.map((cache) => `~/${cache.replace(/ .*$/, '')}`),
);

/**
 * Returns the folders of a mandate that a confined command may change in addition to the working
 * folder, the worktrees and the temporary files of its session.
 */
export const confinedFolders = (
  { folders }: Mandate,
  machine: MandatedMachine,
): readonly string[] =>
  folders
    .filter((folder) => folder !== '.' && !usualCaches.has(folder))
    .flatMap((folder) => foldersOf(folder, machine))
    .filter((folder) => !temporaryFolders.includes(folder));

/**
 * Resolves with why the mandate does not cover a call, as the rest of a sentence; `undefined` if it
 * covers all its accesses. Never rejects.
 */
export async function outsideMandate(
  machines: Pick<Machines, 'get' | 'list'>,
  { accesses }: { readonly accesses: readonly Access[] },
  inForce: MandateInForce,
): Promise<string | undefined> {
  const elsewhere = accesses.filter((access) => !isInside(machines, access, inForce.container));
  const reasons = await Promise.all(
    elsewhere.map((access) => outsideOf(machines, access, inForce)),
  );
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
  inForce: MandateInForce,
): Promise<string | undefined> {
  if (access.kind === 'host')
    return isGrantedHost(access.host, inForce.mandate.hosts)
      ? undefined
      : `it contacts ${access.host}, which is no host of the mandate`;
  return access.kind === 'command'
    ? outsideCommand(access)
    : outsidePath(machines, access, inForce);
}

function outsideCommand({ verdict }: CommandAccess): string | undefined {
  const reason = verdict?.outside ?? verdict?.reason;
  return verdict?.kind === 'safe' || reason === '' ? undefined : `the command ${reason}`;
}

async function outsidePath(
  machines: Pick<Machines, 'get'>,
  access: PathAccess,
  inForce: MandateInForce,
): Promise<string | undefined> {
  const { kind, machineId, path, realPath: real = path } = access;
  const what = `it ${kind === 'read' ? 'reads' : 'writes'} ${path}`;
  try {
    const machine = machines.get(machineId);
    const on = await machineMandate(machine, inForce);
    if (on === undefined) return `the mandate does not grant the machine ${machineId}`;
    const absolute = machine.path.resolve(machine.workFolder, real);
    const folders = kind === 'read' ? [...on.folders, ...on.reads] : on.folders;
    const isGranted = folders.some((folder) => isInFolder(machine.path, folder, absolute));
    return isGranted ? undefined : kind === 'read' ? what : `${what}: ${writeAdvice(on)}`;
  } catch (error) {
    return `${what}, and that place is not known: ${messageOf(error)}`;
  }
}
