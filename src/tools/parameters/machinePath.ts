/** Resolves paths in the arguments of tool calls to absolute paths on their machine. */
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { absolutePath, isBelowHome } from '../../machines/absolutePath.ts';
import { confinedMachine } from '../../machines/confinement/confinedMachine.ts';
import type { Confinement } from '../../machines/confinement/policy.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { linkNote, type Access } from '../../permissions/access.ts';
import { usualPaths, type PathRules } from '../../permissions/pathRules.ts';
import type { ToolContext } from '../tool.ts';
import type { GitProtection } from './gitProtection.ts';
import { checkPath } from './pathAccesses.ts';
import type { SecretValues } from './secretLabels.ts';
import { placeAccess, writePlace } from './writePlace.ts';

export const machineId = z
  .string()
  .min(1)
  .default('local')
  .describe('Default: local.')
  .meta({ needs: 'machines' });

export interface MachineTools {
  readonly machines: Pick<Machines, 'get'>;
  /** Checks that protect git. Omitted if git is not protected. */
  readonly git?: GitProtection;
  readonly secrets?: SecretValues;
  readonly confining?: CommandConfining;
  readonly paths?: PathRules;
}

/** Decides whether commands are confined. Implemented by `Confining`. */
export interface CommandConfining {
  /**
   * Resolves with the confinement of commands on the machine; `undefined` if they are not confined.
   * Rejects with `ToolFailure` if commands must be confined but cannot be.
   */
  of(machine: Machine): Promise<Confinement | undefined>;
  /** Resolves with a text that describes the confinement on the machine. Never rejects. */
  state(machine: Machine): Promise<{ readonly text: string }>;
}

/**
 * Resolves with the machine; its foreground commands are confined if the settings require it.
 * Rejects as `CommandConfining.of` does.
 */
export async function commandMachine(
  { machines, confining }: MachineTools,
  id: string,
): Promise<Machine> {
  const machine = machines.get(id);
  return confinedMachine(machine, await confining?.of(machine));
}

/**
 * Resolves with the absolute path: `~` is the home folder of the machine, and a relative path
 * starts at the machine's working folder. Rejects with `MachineFailure` as `absolutePath` throws.
 */
export async function machinePath(machine: Machine, path: string): Promise<string> {
  await machine.ready?.({ mayAsk: true });
  const { path: paths, workFolder } = machine;
  const homeFolder = isBelowHome(machine, path) ? await homeOf(machine) : undefined;
  return absolutePath({ path: paths, workFolder, homeFolder }, path);
}

/** A path to write, absolute and with its links resolved. */
interface WrittenPath {
  /** Begins with the path of the working folder if it is below, whatever links lead there. */
  readonly path: string;
  readonly realPath: string;
}

/**
 * Resolves with the absolute path of a file to write, with links resolved. Rejects with
 * `ToolFailure` if a link in the path leads out of the working folder, or a path rule applies to
 * the resolved path, and the user has not approved this path.
 */
export async function writtenPath(
  { paths = usualPaths }: MachineTools,
  machine: Machine,
  { path, context }: ApprovedPath,
): Promise<WrittenPath> {
  const absolute = await machinePath(machine, path);
  const place = await writePlace(machine, absolute);
  const access = placeAccess('write', machine.id, absolute, place);
  checkPath(access, { approved: context.accesses, paths });
  if (place.leavesFolder && !isApproved(access, context))
    throw new ToolFailure(
      `Not written: ${linkNote([access])} Use that path if you mean to write there.`,
    );
  return { path: place.path, realPath: place.realPath };
}

/**
 * Resolves with the absolute path of a file to send to another machine, with links resolved.
 * Rejects with `ToolFailure` if a link in the path leads out of the working folder and the user has
 * not approved the resolved path.
 */
export async function sentPath(machine: Machine, { path, context }: ApprovedPath): Promise<string> {
  const absolute = await machinePath(machine, path);
  const place = await writePlace(machine, absolute);
  const access = placeAccess('read', machine.id, absolute, place);
  if (place.leavesFolder && !isApproved(access, context))
    throw new ToolFailure(`Not sent: ${linkNote([access])} Use that path if you mean to send it.`);
  return place.path;
}

interface ApprovedPath {
  readonly path: string;
  readonly context: Pick<ToolContext, 'accesses'>;
}

const isApproved = (access: Access, { accesses }: Pick<ToolContext, 'accesses'>): boolean =>
  accesses.some((approved) => isSame(approved, access));

const isSame = (a: Access, b: Access): boolean =>
  'path' in a &&
  'path' in b &&
  a.kind === b.kind &&
  a.machineId === b.machineId &&
  a.path === b.path;

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
