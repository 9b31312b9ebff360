/**
 * Compares the files that a goal requires to stay unchanged with their content when the session
 * started.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { readRegularBytes } from '../../base/regularFile.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import { readLaunchLimits } from '../../experiments/target/launchLimits.ts';
import { uncheckedDemands } from '../../experiments/target/readDemands.ts';
import {
  namedRequirements,
  type Requirements,
  type UnchangedFile,
} from '../../experiments/target/requirements.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';

const maxBytes = 64 * 1024 * 1024;

/**
 * Resolves with the requirements of the goal besides numbers, as a field of the first event. A file
 * that does not exist in the folder or cannot be read is named as not read. `machines`: the ids of
 * the machines that there are.
 */
export async function requirementsAtStart(
  goal: string,
  workFolder: string,
  machines: readonly string[],
): Promise<{ readonly requirements?: Requirements }> {
  const named = namedRequirements(goal);
  const { unchanged: names, unread: others, checks } = named;
  const files = await Promise.all(names.map((name) => fileAtStart(name, workFolder)));
  const unchanged = files.filter((one) => one !== undefined);
  const missing = names.filter((_, index) => files[index] === undefined);
  const unread = [...missing.map((name) => `${name} (no such file)`), ...others];
  const { limits, rest } = readLaunchLimits(goal, machines);
  const unchecked = uncheckedDemands(rest, named);
  const count = unchanged.length + checks.length + unread.length + unchecked.length;
  return count + Object.keys(limits).length === 0
    ? {}
    : {
        requirements: {
          unchanged,
          checks,
          ...limits,
          ...(unread.length > 0 && { unread }),
          ...(unchecked.length > 0 && { unchecked }),
        },
      };
}

async function fileAtStart(name: string, workFolder: string): Promise<UnchangedFile | undefined> {
  const isOutside = path.isAbsolute(name) || path.normalize(name).startsWith('..');
  if (isOutside) return undefined;
  try {
    const bytes = await readRegularBytes(path.join(workFolder, name), maxBytes);
    return { path: name, sha256: hashOf(bytes) };
  } catch {
    return undefined;
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The folder and the stored code of an experiment. */
export type CodePlace = Pick<ExperimentPlan, 'cwd' | 'code'>;

/**
 * Resolves with the paths of the changed files. A file that exists neither in the folder nor at the
 * root of its worktree counts as removed if the folder is on this computer; on other machines, the
 * file is not reported. Compares no file until the machine has answered, because the folder is not
 * known before.
 */
export async function changedFiles(
  { unchanged: files = [] }: Partial<Requirements>,
  machine: Machine,
  place: CodePlace,
): Promise<readonly string[]> {
  if (!machine.path.isAbsolute(place.cwd)) return [];
  const changed = await Promise.all(files.map((file) => isChanged(file, machine, place)));
  return files.filter((_, index) => changed[index]).map((file) => file.path);
}

async function isChanged(
  { path: name, sha256 }: UnchangedFile,
  machine: Machine,
  { cwd, code }: CodePlace,
): Promise<boolean> {
  const repo = code.kind === 'git' ? (code.uploaded?.root ?? code.repo) : undefined;
  for (const folder of repo === undefined ? [cwd] : [cwd, repo]) {
    const bytes = await bytesOf(machine, machine.path.join(folder, name));
    if (bytes !== undefined) return hashOf(bytes) !== sha256;
  }
  return repo !== undefined && machine.kind === 'local';
}

/** Resolves with the content of a file of the machine; `undefined` if there is no such file. */
export async function bytesOf(machine: Machine, file: string): Promise<Uint8Array | undefined> {
  try {
    return await machine.readFile(file);
  } catch (error) {
    if (error instanceof MachineFailure && error.reason === 'missing') return undefined;
    throw error;
  }
}

/** Formats the changed files: `bench.py was changed`. */
export const changedText = (paths: readonly string[]): string =>
  `${paths.join(', ')} ${paths.length === 1 ? 'was' : 'were'} changed since the start of the session, and the goal leaves ${paths.length === 1 ? 'it' : 'them'} alone`;

/** Returns how to restore changed files of a launch. */
export function restoringText(
  names: readonly string[],
  { machine, cwd }: { readonly machine: Machine; readonly cwd: string },
): string {
  const paths = names.map((name) => machine.path.join(cwd, name));
  if (machine.kind === 'local')
    return `Restore it: undo_edits with paths ${JSON.stringify(paths)}.`;
  const places = paths.map((path) => `${machine.id}:${path}`).join(', ');
  return `Restore it on local with undo_edits where you edited it, and send it to ${places} with remote_upload.`;
}
