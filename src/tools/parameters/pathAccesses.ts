/** Resolves the paths of calls on their machine, so that links are judged as what they lead to. */
import { ToolFailure } from '../../base/errors.ts';
import type { Machine } from '../../machines/machine.ts';
import { pathFacts, realPath } from '../../machines/realPath.ts';
import type { Access, PathAccess } from '../../permissions/access.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import type { WatchedPlace } from '../../sleep/sleepPorts.ts';
import { pathNote, type PathRules } from '../../permissions/pathRules.ts';

/** Resolves with the access to a file, with its real path if that differs. */
export async function resolvedRead(
  machine: Pick<Machine, 'id' | 'query'>,
  path: string,
): Promise<PathAccess> {
  const real = await realPath(machine, path);
  return { kind: 'read', machineId: machine.id, path, ...(real !== path && { realPath: real }) };
}

/**
 * Resolves with the real path of a file that is read without a new decision of the gate. Rejects
 * with `ToolFailure` if a rule is about it, unless it is one of the approved paths.
 */
export async function readablePath(
  { machine, path, approved = [] }: WatchedPlace,
  paths: PathRules,
): Promise<string> {
  const read = await resolvedRead(machine, path);
  const real = read.realPath ?? path;
  checkPath(read, { approved: approved.includes(real) ? [read] : [], paths });
  return real;
}

/**
 * Resolves with the reads of a file, or of a whole folder: the folder, and the keys at usual places
 * below it.
 */
export async function treeReads(
  machine: Pick<Machine, 'id' | 'query' | 'homeFolder'>,
  path: string,
  paths: PathRules,
): Promise<readonly Access[]> {
  const read = await resolvedRead(machine, path);
  const folder = read.realPath ?? path;
  const keys = paths.keysBelow(folder, machine.homeFolder ?? '/nonexistent');
  const facts = await pathFacts(machine, keys);
  const found = keys.filter((_key, index) => facts[index]?.kind !== 'missing');
  return [
    read,
    ...found.map((key) => ({ kind: 'read', machineId: machine.id, path: key }) as const),
  ];
}

/**
 * Checks an access that was resolved on the machine. Throws `ToolFailure` if a rule is about its path
 * and the approval was not about that: the machine was not known before, or a file has changed.
 */
export function checkPath(
  access: Access,
  { approved, paths }: { readonly approved: readonly Access[]; readonly paths: PathRules },
): void {
  const use = pathUse([access], paths);
  if (use === undefined) return;
  const isApproved = use.verdict === 'ask' && pathUse(approved, paths) !== undefined;
  if (!isApproved)
    throw new ToolFailure(
      `Not allowed: ${pathNote(use)}. ${use.verdict === 'ask' ? 'Call again to ask for it.' : 'Find another way, or continue without it.'}`,
    );
}
