/** Warns about changes of files that the goal leaves alone, in the result of the call itself. */
import { isInFolder } from '../../machines/absolutePath.ts';
import type { UnchangedFile } from '../../experiments/target/requirements.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { localId } from '../../machines/machineEntry.ts';
import { worktreesFolder } from '../../experiments/git/worktrees.ts';
import type { Access } from '../../permissions/access.ts';
import type { ToolResult } from '../../tools/tool.ts';
import { realPlace } from '../edits/versions.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { changedFiles } from './unchangedFiles.ts';

export interface EditWarningsDeps {
  readonly log: Pick<SessionLog, 'state'>;
  readonly machines: Pick<Machines, 'get'>;
}

type Written = NonNullable<ToolResult['stored']>;

/**
 * Resolves with the result; with a warning if a file that the call wrote or stored is to be left
 * alone and differs from its version at the start. Never rejects.
 */
export async function withEditWarning(
  deps: EditWarningsDeps,
  result: ToolResult,
  accesses: readonly Access[],
): Promise<ToolResult> {
  const { requirements: { unchanged = [] } = {} } = deps.log.state;
  if (unchanged.length === 0) return result;
  const written: Written[] = [
    ...accesses.flatMap((one) => (one.kind === 'write' ? [one] : [])),
    ...(result.stored === undefined ? [] : [result.stored]),
  ];
  const names = await Promise.all(written.map((place) => changedIn(deps, place)));
  const changed = [...new Set(names.flat())];
  if (changed.length === 0) return result;
  return withWarning(
    result,
    `${changed.join(', ')} ${changed.length === 1 ? 'is' : 'are'} to be left alone`,
  );
}

function withWarning(result: ToolResult, alone: string): ToolResult {
  const { content, summary } = result;
  const warning = `${alone} (the goal); results with this change do not count. Undo it before a launch.`;
  return {
    ...result,
    content: typeof content === 'string' ? `${content}\n${warning}` : { warning, ...content },
    summary: summary === undefined ? alone : `${summary} · ${alone}`,
  };
}

/** Resolves with the changed files among those to leave alone, in a file or folder. */
async function changedIn(deps: EditWarningsDeps, written: Written): Promise<readonly string[]> {
  const { unchanged = [] } = deps.log.state.requirements ?? {};
  try {
    return (await Promise.all(unchanged.map((file) => changedAt(deps, written, file)))).flat();
  } catch {
    // The launch compares the files again.
    return [];
  }
}

async function changedAt(
  { log: { state }, machines }: EditWarningsDeps,
  { machineId, path }: Written,
  file: UnchangedFile,
): Promise<readonly string[]> {
  const machine = machines.get(machineId);
  const place = machineId === localId ? await realPlace(path) : path;
  const name = machine.path.normalize(file.path);
  const isFile = place.endsWith(`${machine.path.sep}${name}`);
  const cwd = isFile ? place.slice(0, -name.length - 1) : place;
  if (machineId === localId && !(await isOfSession(machine, cwd, state))) return [];
  if ((await machine.stat(machine.path.join(cwd, name))) === undefined) return [];
  return changedFiles({ unchanged: [file] }, machine, { cwd, code: noCode });
}

const noCode = { kind: 'none', why: '' } as const;

/** Returns whether a folder of this computer is the session's folder or in one of its worktrees. */
async function isOfSession(
  machine: Machine,
  folder: string,
  { id, workFolder }: SessionLog['state'],
): Promise<boolean> {
  const [work, worktrees] = await Promise.all(
    [workFolder, worktreesFolder(machine, id)].map(realPlace),
  );
  return (
    folder === work || (worktrees !== undefined && isInFolder(machine.path, worktrees, folder))
  );
}
