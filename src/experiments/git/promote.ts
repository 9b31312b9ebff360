/**
 * Exports the code of an experiment as a branch or a patch. Only done when the user requests it.
 */
import { UserFacing } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { isLeftBehind, namedFiles } from '../codeDifference.ts';
import type { CodeState } from '../experiment.ts';
import { GitFailure, runGit, scriptStart } from './gitScript.ts';
import { checkoutName } from './worktrees.ts';

/** The code of one experiment, and the machine that stores it. */
export interface PromotedCode {
  readonly machine: Machine;
  readonly code: CodeState;
  readonly clock: Clock;
  /** Message of the commit of a branch. */
  readonly message: string;
  /** Commands of the runs. Files that they name are never treated as outputs. */
  readonly commands: readonly string[];
}

export interface PromotedBranch {
  readonly branch: string;
  readonly commit: string;
  /** Root of the repository that has the branch. */
  readonly repo: string;
  /** True if the branch held the code before, so nothing was changed. */
  readonly isOld?: true;
}

/** Time limit of each step, in milliseconds. */
export const promoteStepMs = 120_000;

/** Text of a script that defines `users_commit`. */
const usersScript = shellText('./usersCommit.sh', import.meta.url);
/** Text of a script that defines `promoted_tree` and `promoted_commit`. */
export const treeScript = `${usersScript}${shellText('./promotedTree.sh', import.meta.url)}`;
/** Text of a script that defines `new_branch`. */
export const nameScript = shellText('./newBranch.sh', import.meta.url);
const branchScript = `${scriptStart}${nameScript}${treeScript}${shellText('./promoteBranch.sh', import.meta.url)}`;
const patchScript = `${scriptStart}${treeScript}${shellText('./promotePatch.sh', import.meta.url)}`;
const changeScript = `${scriptStart}${treeScript}${shellText('./promotedChange.sh', import.meta.url)}`;
const addedScript = `${scriptStart}${usersScript}${shellText('./addedFiles.sh', import.meta.url)}`;

/**
 * Makes a branch with the code of the experiment, without outputs of runs, and without checking it
 * out. Never moves an existing branch; if that holds the same files, resolves with it. Rejects with
 * `UserFacing`.
 */
export async function promoteToBranch(
  promoted: PromotedCode,
  branch: string,
): Promise<PromotedBranch> {
  const { machine, code, clock, message } = promoted;
  const { repo, commit: kept } = keptCode(code);
  const text = await withUserErrors(branch, async () =>
    runGit({
      machine,
      script: branchScript,
      args: [repo, branch, kept, message],
      stdin: await omittedIn(promoted),
      clock,
      timeoutMs: promoteStepMs,
    }),
  );
  const [age = '', commit = '', ...top] = Buffer.from(text, 'latin1').toString().split('\n');
  return { branch, commit, repo: top.join('\n'), ...(age === 'held' && { isOld: true }) };
}

/**
 * Resolves with the names of new files that are not part of the change, each ending with NUL: outputs
 * of runs, and untracked files of the user that the session did not change.
 */
export const omittedIn = async (promoted: PromotedCode): Promise<Uint8Array> =>
  inputOf(await omittedFiles(promoted));

const inputOf = ({ all }: OmittedFiles): Uint8Array =>
  Buffer.from(all.map((file) => `${file}\0`).join(''), 'latin1');

/** Names with one character per byte (latin1). */
interface OmittedFiles {
  readonly all: readonly string[];
  /** Untracked files of the user that the session did not change. */
  readonly ofUser: readonly string[];
}

async function omittedFiles({
  machine,
  code,
  clock,
  commands,
}: PromotedCode): Promise<OmittedFiles> {
  const { repo, commit } = keptCode(code);
  const args = [repo, commit, checkoutName];
  const text = await runGit({
    machine,
    script: addedScript,
    args,
    clock,
    timeoutMs: promoteStepMs,
  });
  const [added = [], atStart = [], changed = []] = text.split(/(?<=^|\0)\/\/\0/).map(namesIn);
  const named = namedFiles(commands);
  const others = new Set(changed);
  const own = new Set(atStart.filter((file) => !others.has(file)));
  return {
    all: added.filter((file) => own.has(file) || isLeftBehind(file, named)),
    ofUser: added.filter((file) => own.has(file)),
  };
}

const namesIn = (text: string): string[] => text.split('\0').filter(Boolean);

/**
 * Resolves with the code of the experiment as a patch against the commit that the user has checked
 * out, for `git apply`. Rejects with `UserFacing`.
 */
export async function promoteToPatch(promoted: PromotedCode): Promise<Uint8Array> {
  const { machine, code, clock } = promoted;
  const { repo, commit } = keptCode(code);
  const patch = await withUserErrors('', async () =>
    runGit({
      machine,
      script: patchScript,
      args: [repo, commit],
      stdin: await omittedIn(promoted),
      clock,
      timeoutMs: promoteStepMs,
    }),
  );
  if (patch !== '') return Buffer.from(patch, 'latin1');
  throw new UserFacing(
    'The code of this experiment equals the checked-out commit, so there is nothing to export.',
    'The experiment changed only arguments; see its command.',
  );
}

/**
 * Resolves with how the code differs from the commit that the user has checked out: `2 files
 * changed, 9 insertions(+) against the checked-out commit`, and which untracked files of the user
 * are left out. Rejects with `UserFacing`.
 */
export async function promotedChange(promoted: PromotedCode): Promise<string> {
  const { machine, code, clock } = promoted;
  const { repo, commit } = keptCode(code);
  return withUserErrors('', async () => {
    const omitted = await omittedFiles(promoted);
    const text = await runGit({
      machine,
      script: changeScript,
      args: [repo, commit],
      stdin: inputOf(omitted),
      clock,
      timeoutMs: promoteStepMs,
    });
    return `${text.trim() || 'no change'} against the checked-out commit${leftOutText(omitted)}`;
  });
}

const maxNamed = 5;

/** Returns, for example, `; left out, as you have not committed them: notes.txt, todo.md`. */
function leftOutText({ ofUser }: OmittedFiles): string {
  if (ofUser.length === 0) return '';
  const names = ofUser
    .slice(0, maxNamed)
    .map((name) => cleanText(Buffer.from(name, 'latin1').toString()));
  const more = ofUser.length - names.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `; left out, as you have not committed them: ${names.join(', ')}${rest}`;
}

export function keptCode(code: CodeState): { readonly repo: string; readonly commit: string } {
  if (code.kind === 'none')
    throw new UserFacing(
      `The code of this experiment was not stored: ${code.why}`,
      'Choose another experiment.',
    );
  if (code.commit === undefined)
    throw new UserFacing(
      'The code of this experiment was not stored: its repository was not writable.',
      'Choose another experiment.',
    );
  return { repo: code.repo, commit: code.commit };
}

/** Runs `work`. Converts a `GitFailure` to `UserFacing`. */
export async function withUserErrors<T>(branch: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (error.reason === 'exists')
      throw new UserFacing(
        `The branch ${branch} already exists.`,
        'Choose another name. The existing branch was not changed.',
      );
    if (error.reason === 'beside')
      throw new UserFacing(
        `A branch cannot be named ${branch}. ${error.message}`,
        'Choose another name.',
      );
    if (error.reason === 'name')
      throw new UserFacing(
        `${JSON.stringify(branch)} is not a valid branch name.`,
        'Use a name such as helios/cosine-lr.',
      );
    if (error.reason === 'missing')
      throw new UserFacing(
        'The stored code is no longer in the repository.',
        'Its refs under refs/helios were removed. Choose another experiment.',
      );
    throw new UserFacing(error.message, 'Check the repository, then retry.');
  }
}
