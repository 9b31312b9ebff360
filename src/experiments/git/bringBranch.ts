/**
 * Creates a branch with the code of an experiment in another repository than the one that stores
 * the code, which is on another machine. Only done when the user requests it.
 */
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { GitFailure, runGit, scriptStart, type GitCall } from './gitScript.ts';
import {
  keptCode,
  omittedIn,
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
 * Creates the branch without checking it out, and copies the commits that the repository lacks. An
 * existing branch with the same files stays, and is the result. If
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
      stdin: await omittedIn(promoted),
    });
    const [tree = '', commit = '', ...ancestors] = history.split('\n');
    const stdin = bytesOf([commit, ...ancestors].join('\n'));
    const known = await knownCommits(place, () =>
      git(place.machine, { script: knownScript, args: [place.folder, branch, tree], stdin }),
    );
    if ('why' in known) return known;
    if (known.held !== '') return { branch, commit: known.held, repo: known.top, isOld: true };
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

interface KnownCommits {
  /** Root of the repository. */
  readonly top: string;
  /** Commit of the branch if that holds the code; otherwise empty. */
  readonly held: string;
  /** Commits of the code that the repository contains, one per line. */
  readonly commits: string;
}

async function knownCommits(
  { folder }: BranchPlace,
  ask: () => Promise<string>,
): Promise<KnownCommits | { readonly why: string }> {
  try {
    const [name = '', held = '', commits = ''] = (await ask()).split('\0');
    const top = Buffer.from(name, 'latin1').toString();
    if (held === '' && commits === '') return { why: `no commit of it is in ${top}.` };
    return { top, held, commits };
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
