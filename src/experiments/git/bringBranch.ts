/**
 * Creates a branch with the code of an experiment in another repository than the one that stores
 * the code, which is on another machine. Only done when the user requests it.
 */
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { GitFailure, runGit, scriptStart, type GitCall } from './gitScript.ts';
import {
  keptCode,
  outputsIn,
  promoteStepMs,
  treeScript,
  nameScript,
  withUserErrors,
  type PromotedBranch,
  type PromotedCode,
} from './promote.ts';

const historyScript = `${scriptStart}${treeScript}${shellText('./promotedHistory.sh', import.meta.url)}`;
const knownScript = `${scriptStart}${nameScript}${shellText('./knownCommits.sh', import.meta.url)}`;
const packScript = `${scriptStart}${shellText('./packCommit.sh', import.meta.url)}`;
const takeScript = `${scriptStart}${nameScript}${shellText('./takeBranch.sh', import.meta.url)}`;

/** A folder in the repository that gets the branch. */
export interface BranchPlace {
  readonly machine: Machine;
  readonly folder: string;
}

export type Brought = PromotedBranch | { readonly why: string };

/**
 * Creates the branch without checking it out, and copies the commits that the repository lacks. If
 * the histories have no commit in common, or the folder is in no repository, resolves with the
 * reason. Rejects with `UserFacing`.
 */
export function bringBranch(
  promoted: PromotedCode,
  branch: string,
  place: BranchPlace,
): Promise<Brought> {
  return withUserErrors(branch, async () => {
    const { repo, commit: kept } = keptCode(promoted.code);
    const git = (
      machine: Machine,
      call: Pick<GitCall, 'script' | 'args' | 'stdin'>,
    ): Promise<string> =>
      runGit({ machine, ...call, clock: promoted.clock, timeoutMs: promoteStepMs });
    const history = await git(promoted.machine, {
      script: historyScript,
      args: [repo, kept, promoted.message],
      stdin: await outputsIn(promoted),
    });
    const commit = history.split('\n')[0] ?? '';
    const known = await knownCommits(branch, place, (args) =>
      git(place.machine, { script: knownScript, args, stdin: bytesOf(history) }),
    );
    if ('why' in known) return known;
    const pack = await git(promoted.machine, {
      script: packScript,
      args: [repo, commit],
      stdin: bytesOf(known.commits),
    });
    await git(place.machine, {
      script: takeScript,
      args: [place.folder, branch, commit],
      stdin: bytesOf(pack),
    });
    return { branch, commit, repo: known.top };
  });
}

const bytesOf = (latin1: string): Uint8Array => Buffer.from(latin1, 'latin1');

/** Resolves with the root of the repository and its commits, one per line. */
async function knownCommits(
  branch: string,
  { folder }: BranchPlace,
  ask: (args: readonly string[]) => Promise<string>,
): Promise<{ readonly top: string; readonly commits: string } | { readonly why: string }> {
  try {
    const text = await ask([folder, branch]);
    const end = text.indexOf('\0');
    const top = Buffer.from(text.slice(0, end), 'latin1').toString();
    const commits = text.slice(end + 1);
    return commits === '' ? { why: `no commit of it is in ${top}.` } : { top, commits };
  } catch (error) {
    const why = error instanceof GitFailure ? placeFaults[error.reason] : undefined;
    if (why === undefined) throw error;
    return { why: `${folder} ${why}` };
  }
}

/** Failures which mean that the folder has no repository in which to create a branch. */
const placeFaults: { readonly [Reason in GitFailure['reason']]?: string } = {
  no_git: 'cannot be read without git.',
  no_folder: 'does not exist.',
  no_repository: 'is not in a Git repository.',
  ignored: 'is ignored by its Git repository.',
  bare: 'is in a bare Git repository.',
};
