/**
 * Finds the scripts of checks that the session has changed. A check that the agent edited proves
 * nothing, so it is run with the user's version.
 */
import path from 'node:path';
import { readRegularBytes } from '../../base/regularFile.ts';
import { codeFilesOf } from '../../experiments/codeDifference.ts';
import { pathInCode } from '../../experiments/codeUpload.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { Machine } from '../../machines/machine.ts';
import { foldEdits } from '../edits/editFold.ts';
import { editFiles, realPlace, storedContent } from '../edits/versions.ts';
import { bytesOf } from '../experiments/unchangedFiles.ts';
import { repositoryTop } from './repositoryTop.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';

const maxBytes = 16 * 1024 * 1024;

/** A script of a check that differs from the user's version. */
export interface ChangedCheck {
  /** Path as the command names it. */
  readonly name: string;
  /** Content of the user's version. */
  readonly content: Uint8Array;
}

export interface PlacedCheck {
  readonly command: string;
  readonly machine: Machine;
  /** Folder in which the check runs. Absolute path. */
  readonly cwd: string;
  /** Code of the experiment in the folder. Omitted for the session's folder. */
  readonly code?: ExperimentPlan['code'] | undefined;
}

/**
 * Resolves with the scripts that the command names and that differ from the user's version: the
 * file in the session's folder, as it was before the session changed it. Leaves out a file that the
 * user does not have, and one that the goal asks to change.
 */
export async function changedChecks(
  deps: Pick<ToolsetDeps, 'log' | 'folder'>,
  { command, machine, cwd, code }: PlacedCheck,
): Promise<readonly ChangedCheck[]> {
  const { goal, workFolder } = deps.log.state;
  const names = codeFilesOf([command]).filter((name) => isCheck(name) && !isToChange(goal, name));
  const within = code?.kind === 'git' ? pathInCode(code, cwd, machine.path) : '';
  const changed: ChangedCheck[] = [];
  for (const name of names) {
    const content = await usersVersion(deps, [
      path.join(repositoryTop(workFolder) ?? workFolder, within, name),
      path.join(workFolder, name),
    ]);
    const present = await bytesOf(machine, machine.path.join(cwd, name));
    if (content !== undefined && (present === undefined || !content.equals(present)))
      changed.push({ name, content });
  }
  return changed;
}

/** Returns whether the name is that of a check, and not of the code that it checks. */
const isCheck = (name: string): boolean =>
  /(?:^|[_.-])(?:check|test|verif|validat|assert|grade)/iu.test(path.posix.basename(name));

const toChange =
  /(?<!\p{L})(?:fix|repair|correct|debug|rewrite|refactor|improve|extend|update|port|speed\s+up|optimi[sz]e|repariere|korrigiere|verbessere|überarbeite|erweitere)\s+(?:\p{L}+\s+){0,3}["'`]?(?<name>[\w./-]*\w)/giu;

/** Returns whether the goal asks to change the file: `fix test_io.py`. */
const isToChange = (goal: string, name: string): boolean =>
  [...goal.matchAll(toChange)].some(
    ({ groups }) => path.posix.basename(groups?.['name'] ?? '') === path.posix.basename(name),
  );

/** Resolves with the first of the files that existed before the session changed it. */
async function usersVersion(
  { log, folder }: Pick<ToolsetDeps, 'log' | 'folder'>,
  files: readonly string[],
): Promise<Buffer | undefined> {
  const edits = foldEdits(log.events);
  for (const file of files) {
    const before = edits.get(await realPlace(file))?.before;
    if (before === 'missing' || before === 'unkept') continue;
    const content =
      before === undefined
        ? await readRegularBytes(file, maxBytes).then(Buffer.from, () => undefined)
        : await storedContent(editFiles(folder), before);
    if (content !== undefined) return content;
  }
  return undefined;
}
