/** Resolves the paths of calls on their machine, so that a link is judged by its target. */
import { ToolFailure } from '../../base/errors.ts';
import type { Machine } from '../../machines/machine.ts';
import { pathFacts, realPath, type PathMachine } from '../../machines/realPath.ts';
import type { Access, PathAccess } from '../../permissions/access.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import type { WatchedPlace } from '../../sleep/sleepPorts.ts';
import { pathNote, type PathRules } from '../../permissions/pathRules.ts';

/** Resolves with the access to a file. Includes the real path if it differs from `path`. */
export async function resolvedRead(
  machine: PathMachine & Pick<Machine, 'id'>,
  path: string,
): Promise<PathAccess> {
  const real = await realPath(machine, path);
  return { kind: 'read', machineId: machine.id, path, ...(real !== path && { realPath: real }) };
}

/**
 * Resolves with the real path of a file that is read without a new decision of the gate. Rejects
 * with `ToolFailure` if a path rule applies to the file, unless it is one of the approved paths.
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
 * Resolves with the reads of a file or a whole folder: for a folder, the folder itself and the
 * existing keys at their usual paths below it.
 */
export async function treeReads(
  machine: PathMachine & Pick<Machine, 'id' | 'homeFolder'>,
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
 * Throws `ToolFailure` if a path rule applies to an access whose path was resolved on the machine,
 * and the user has not approved this path. The approval may have been given before the path could
 * be resolved, or the file may have changed since.
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
