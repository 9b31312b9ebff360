/** Finds out before the user is asked whether a command would be refused when it runs. */
import { MachineFailure, type Machine, type Machines } from '../../machines/machine.ts';
import { grantAdvice } from '../../machines/confinement/grants.ts';
import { caches, type Confinement } from '../../machines/confinement/policy.ts';
import type { Access, CommandAccess } from '../../permissions/access.ts';
import type { Forecast } from '../../permissions/gate.ts';
import { builtInMandate } from '../../permissions/mandate/mandate.ts';
import type { PathRules } from '../../permissions/pathRules.ts';
import { accessVerdict } from '../../tools/parameters/commandVerdict.ts';
import { machinePath } from '../../tools/parameters/machinePath.ts';
import type { Confining } from './confining.ts';
import type { GitGuard } from './gitGuard.ts';

export interface ForeseeingDeps {
  readonly machines: Pick<Machines, 'get'>;
  readonly git: Pick<GitGuard, 'foreseen'>;
  readonly confining: Pick<Confining, 'of'>;
  readonly paths: PathRules;
}

/**
 * Resolves with why the call will fail: a machine is out of reach, or the git guard or the
 * confinement will refuse a command. Resolves with `undefined` if that is not known. Never rejects.
 */
export async function foreseenRefusal(
  accesses: readonly Access[],
  deps: ForeseeingDeps,
): Promise<Forecast | undefined> {
  const obstacle = await obstacleTo(accesses, deps);
  if (obstacle !== undefined) return obstacle;
  for (const access of accesses) {
    // Skip programs that Helios itself starts (they have a note): these are neither guarded nor
    // confined.
    if (access.kind !== 'command' || access.note !== undefined) continue;
    const found = await refusalOf(access, deps).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

const answerWithinMs = 10_000;

async function obstacleTo(
  accesses: readonly Access[],
  { machines }: Pick<ForeseeingDeps, 'machines'>,
): Promise<Forecast | undefined> {
  const ids = accesses.flatMap((access) => ('machineId' in access ? [access.machineId] : []));
  for (const id of new Set(ids)) {
    try {
      const machine = machines.get(id);
      if (machine.kind === 'local' || machine.filesOnly) continue;
      await machine.query(':', { timeoutMs: answerWithinMs });
    } catch (error) {
      // Other failures are reported by the call itself.
      if (!(error instanceof MachineFailure) || error.reason !== 'unreachable') continue;
      return {
        why: `${id} is out of reach: ${error.message.replace(/\.$/, '')}`,
        advice: 'Try later, or sleep until it is back.',
        isObstacle: true,
      };
    }
  }
  return undefined;
}

async function refusalOf(
  access: CommandAccess,
  { machines, git, confining, paths }: ForeseeingDeps,
): Promise<Forecast | undefined> {
  const machine = machines.get(access.machineId);
  await machine.ready?.();
  const { command, folder = '.' } = access;
  const byGit = await git.foreseen(machine, command, await machinePath(machine, folder));
  if (byGit !== undefined) return byGit;
  const confinement = await confining.of(machine);
  return confinement && byConfinement(access, { machine, confinement, machines, paths });
}

/**
 * Folders that every confined command can change, in addition to the writable folders of its
 * session.
 */
const alwaysWritable = ['/tmp', '/var/tmp', '/dev', ...caches.map((each) => `~/${each}`)].map(
  (each) => each.replace(/ .*$/, ''),
);

interface Confined extends Pick<ForeseeingDeps, 'machines' | 'paths'> {
  readonly machine: Machine;
  readonly confinement: Confinement;
}

/** Judges the command by a mandate that grants exactly what a confined command can change. */
async function byConfinement(
  access: CommandAccess,
  { machine, confinement, machines, paths }: Confined,
): Promise<Forecast | undefined> {
  const helios = machine.path.dirname(machine.runsFolder);
  const ownFolders = ['worktrees', 'copies'].map((name) => machine.path.join(helios, name));
  const folders = [...ownFolders, ...confinement.writable, ...alwaysWritable];
  const mandate = { ...builtInMandate, folders, reads: ['/'] };
  const inForce = { mandate, isGitGuarded: true };
  const { outside = '' } = await accessVerdict(machines, access, { rules: paths, inForce });
  const [, path] = /^(?:writes|removes) (\/[^\s:]+)(?::|$)/.exec(outside) ?? [];
  if (path === undefined) return undefined;
  return {
    why: `commands on ${machine.id} are confined and cannot change ${path}`,
    advice: grantAdvice(confinement, machine.id),
  };
}
