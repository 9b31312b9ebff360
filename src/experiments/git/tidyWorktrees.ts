/** Removes worktrees of a session that are no longer needed, and the refs that store their code. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { refOf } from './experimentCodeStore.ts';
import { dropRefsScript } from './dropRefs.ts';
import { GitFailure, runGit, scriptStart } from './gitScript.ts';
import { survey } from './survey.ts';
import { Worktrees, worktreesFolder } from './worktrees.ts';

export interface TidyRequest {
  readonly machine: Machine;
  /** Id of a session that has ended. */
  readonly sessionId: SessionId;
  readonly clock: Clock;
  /**
   * If set, the session's refs are removed, too: in these repositories and in the repositories of
   * the session's worktrees. Set when the session itself is removed. If omitted, no ref is removed.
   */
  readonly repos?: readonly string[];
}

export interface TidyReport {
  /** Absolute paths of the removed worktrees, on the machine. */
  readonly removed: readonly string[];
  /**
   * Worktrees that were not removed and repositories whose refs were not removed, with the reason.
   * If a worktree was not removed, no ref is removed either.
   */
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

const stepMs = 120_000;

/** Prints the worktrees of the session, an empty name, and the repositories of the worktrees. */
const foldersScript = shellText('./listFolders.sh', import.meta.url);

const removeScript = `${scriptStart}${shellText('./removeWorktree.sh', import.meta.url)}`;

/**
 * Removes the session's worktrees, except worktrees with changes that are not stored under a ref.
 * Rejects with `GitFailure` if the machine does not answer.
 */
export async function tidyWorktrees(request: TidyRequest): Promise<TidyReport> {
  const { machine, repos } = request;
  await machine.ready?.();
  const { folders, repos: known } = await knownWorktrees(request);
  const removed: string[] = [];
  const kept: { path: string; why: string }[] = [];
  for (const path of folders) {
    const why = await remove(request, path).catch(messageOf);
    if (why === undefined) removed.push(path);
    else kept.push({ path, why });
  }
  if (repos !== undefined && kept.length === 0)
    kept.push(...(await dropRefs(request, [...known, ...repos])));
  return { removed, kept };
}

type Place = Pick<TidyRequest, 'machine' | 'sessionId' | 'clock'> & { readonly timeoutMs?: number };

/** Resolves with the session's worktrees and the repositories of the worktrees. */
export async function knownWorktrees({
  machine,
  sessionId,
  clock,
  timeoutMs = stepMs,
}: Place): Promise<{ readonly folders: readonly string[]; readonly repos: readonly string[] }> {
  const args = [worktreesFolder(machine, sessionId)];
  const listed = await runGit({ machine, script: foldersScript, args, clock, timeoutMs });
  const names = Buffer.from(listed, 'latin1').toString('utf8').split('\0');
  const middle = names.indexOf('');
  const repos = new Set(names.slice(middle + 1).filter(Boolean));
  return { folders: names.slice(0, middle), repos: [...repos] };
}

/**
 * Removes those of the session's worktrees whose name `isSpent` accepts, whatever they contain.
 * Leaves out the worktrees of branches. Rejects with `GitFailure` if the machine does not answer.
 */
export async function dropWorktrees(
  place: Place,
  isSpent: (name: string) => boolean,
): Promise<void> {
  const { machine, clock, timeoutMs = stepMs } = place;
  const { folders, repos } = await knownWorktrees(place);
  const spent = folders.filter((folder) => isSpent(baseName(folder)));
  if (spent.length === 0) return;
  const worktrees = new Worktrees(place);
  const lists = repos.map((folder) => worktrees.list({ machine, folder }).catch(() => []));
  const branches = new Set((await Promise.all(lists)).flat().map(({ name }) => name));
  for (const folder of spent)
    if (!branches.has(baseName(folder)))
      await runGit({ machine, script: removeScript, args: [folder], clock, timeoutMs });
}

const baseName = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

/**
 * Resolves with the names of the files of a worktree that are not stored under the ref of its
 * branch.
 */
export async function uncommittedFiles(
  { machine, sessionId, clock, timeoutMs = stepMs }: Place,
  folder: string,
): Promise<readonly string[]> {
  const base = refOf(sessionId, baseName(folder));
  const seen = await survey({ machine, folder, base, clock, timeoutMs });
  const { fresh, nested, changed, unwatched, staged } = seen;
  return [...new Set([...fresh, ...nested, ...changed, ...unwatched, ...staged.keys()])];
}

/** Removes a worktree. Resolves with `undefined` or, if the worktree stays, with the reason. */
async function remove(request: TidyRequest, folder: string): Promise<string | undefined> {
  const { machine, clock } = request;
  const count = (await uncommittedFiles(request, folder)).length;
  if (count > 0) return `${count} file${count === 1 ? ' is' : 's are'} not committed there`;
  await runGit({ machine, script: removeScript, args: [folder], clock, timeoutMs: stepMs });
  return undefined;
}

async function dropRefs(
  { machine, sessionId, clock }: TidyRequest,
  repos: readonly string[],
): Promise<TidyReport['kept']> {
  const failed: { path: string; why: string }[] = [];
  for (const repo of new Set(repos)) {
    const args = [repo, `refs/helios/${sessionId}/`];
    try {
      await runGit({ machine, script: dropRefsScript, args, clock, timeoutMs: stepMs });
    } catch (error) {
      // A repository that no longer exists has no refs to remove.
      const isGone =
        error instanceof GitFailure &&
        ['no_folder', 'no_repository', 'no_git'].includes(error.reason);
      if (!isGone) failed.push({ path: repo, why: messageOf(error) });
    }
  }
  const args = [worktreesFolder(machine, sessionId)];
  if (failed.length === 0)
    await runGit({ machine, script: 'rm -rf -- "$1"', args, clock, timeoutMs: stepMs });
  return failed;
}
