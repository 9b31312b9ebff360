/**
 * Worktrees of a session, in the folder of Helios on a machine. The commit that is checked out in a
 * worktree is stored under a ref of Helios. The user's checkout, index, stash and refs are never
 * changed.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { capture } from './capture.ts';
import { refOf } from './experimentCodeStore.ts';
import { GitFailure, heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { defaultLimits, namedLeftOut, type LeaveOutLimits } from './leaveOut.ts';
import { untrackedFiles } from './untrackedFiles.ts';

export interface WorktreesDeps {
  readonly sessionId: SessionId;
  readonly clock: Clock;
  limits?(): LeaveOutLimits;
}

/**
 * The folder in which git works: `folder` is an absolute path in a worktree of the user's
 * repository, on `machine`.
 */
export interface RepoPlace {
  readonly machine: Machine;
  readonly folder: string;
  readonly signal?: AbortSignal;
}

export interface Branch {
  readonly name: string;
  readonly ref: string;
  readonly commit: string;
  /** Absolute path of the worktree of the branch. */
  readonly path: string;
}

export interface MadeBranch extends Branch {
  /** False if the branch already existed; nothing was changed in this case. */
  readonly isNew: boolean;
  /**
   * Files that were not stored in the branch, with reasons; empty if the branch already existed.
   */
  readonly leftOut: readonly string[];
  /** Untracked files of the checkout in the branch; empty if the branch already existed. */
  readonly untracked: readonly string[];
  /**
   * True if the repository stores files with Git LFS. The worktree contains only pointers to these
   * files.
   */
  readonly hasPointers: boolean;
}

export interface ListedBranch extends Branch {
  readonly message: string;
  readonly committedMs: number;
  /** True if the worktree of the branch exists; otherwise, it must be created again before use. */
  readonly hasWorktree: boolean;
  /** True for the code of an experiment in the ledger. Such code has no worktree. */
  readonly isOfLedger: boolean;
}

export interface Committed {
  /** Omitted if nothing has changed since the last commit. */
  readonly commit?: string;
  /** Absolute path of the worktree. */
  readonly path: string;
  readonly leftOut: readonly string[];
}

const stepMs = 120_000;

/**
 * Returns a name for a ref, such as `lr-3e-4-try-2` for `lr 3e-4 (try #2)`. Throws `GitFailure` if
 * `name` has no letters or digits, or if the result looks like an experiment id (`e7`).
 */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  if (slug === '')
    throw new GitFailure(
      'missing',
      'The name of an experiment needs letters or digits, such as "cosine-schedule".',
    );
  if (isOfLedger(slug))
    throw new GitFailure(
      'exists',
      `Names such as ${slug} are reserved for experiments in the ledger. Use words, such as "cosine-schedule".`,
    );
  return slug;
}

/** Prefix of refs with uploaded code. The underscore tells them from branches. */
export const uploadPrefix = 'upload_';

/**
 * Name under which a session stores the user's checkout as it was before the first change, to tell
 * the user's new files from those of the agent.
 */
export const checkoutName = `${uploadPrefix}checkout`;

const isOfLedger = (name: string): boolean => /^e\d+$/.test(name);

/**
 * Script that adds worktree $2 for ref $3, if the worktree is missing or incomplete. Prints the
 * commit of the ref, the real path of the worktree, whether the worktree is new, and whether it has
 * Git LFS files.
 */
const addScript = `${scriptStart}${shellText('./addWorktree.sh', import.meta.url)}`;

const startScript = `${scriptStart}${shellText('./startBranch.sh', import.meta.url)}`;

const hasScript = `${scriptStart}${shellText('./findCommit.sh', import.meta.url)}`;

const listScript = `${scriptStart}${shellText('./listBranches.sh', import.meta.url)}`;

const repoScript = 'cat -- "$1.repo" 2>/dev/null || :';

export class Worktrees {
  readonly #deps: WorktreesDeps;

  constructor(deps: WorktreesDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a branch: a ref and a worktree. `from` is where the branch starts: another branch of the
   * session, an experiment of the ledger (`e7`), or a revision of the repository; by default, the
   * user's checkout, including uncommitted changes. If a branch of this name exists, returns it
   * unchanged. Rejects with `GitFailure`.
   */
  async branch({
    from,
    name,
    ...place
  }: RepoPlace & { readonly name: string; readonly from?: string }): Promise<MadeBranch> {
    await place.machine.ready?.({ mayAsk: true });
    const slug = slugOf(name);
    const ref = this.#ref(slug);
    const isNew = !(await this.#has(place, ref));
    const leftOut = isNew ? await this.#begin(place, { ref, slug, from }) : [];
    const made = await this.#worktree(place, slug, ref);
    const { clock } = this.#deps;
    const stored = { folder: place.folder, commit: made.commit, clock };
    const untracked = isNew ? await untrackedFiles(place.machine, stored) : [];
    return { ...made, isNew, leftOut, untracked };
  }

  /**
   * Adds a worktree at `commit`, to run the code that was stored in this commit. Resolves with the
   * path of the worktree. Rejects with `GitFailure`.
   */
  async add(place: RepoPlace, commit: string, name: string): Promise<string> {
    await place.machine.ready?.({ mayAsk: true });
    const { path } = await this.#worktree(place, slugOf(name), commit);
    return path;
  }

  /**
   * Commits the changes in the worktree of a branch to the branch's ref. Resolves without `commit`
   * if nothing has changed since the last commit. Rejects with `GitFailure`.
   */
  async commit(
    { machine, signal }: Omit<RepoPlace, 'folder'>,
    name: string,
    message: string,
  ): Promise<Committed> {
    const { path: folder, ref } = await this.checkout({ machine, ...(signal && { signal }) }, name);
    const { clock, limits } = this.#deps;
    const { commit, leftOut } = await capture({
      machine,
      folder,
      clock,
      ref,
      message,
      following: ref,
      leftMs: () => stepMs,
      limits: limits?.() ?? defaultLimits,
      ...(signal && { signal }),
    });
    return {
      ...(commit !== undefined && { commit }),
      path: folder,
      leftOut: namedLeftOut(leftOut),
    };
  }

  /**
   * Resolves with all branches and the code of all experiments in the ledger, oldest first. Rejects
   * with `GitFailure`.
   */
  async list(place: RepoPlace): Promise<readonly ListedBranch[]> {
    const prefix = `refs/helios/${this.#deps.sessionId}/`;
    const text = Buffer.from(await this.#run(place, listScript, prefix), 'latin1').toString('utf8');
    const fields = text.split('\0');
    const branches: ListedBranch[] = [];
    for (let at = 0; at + 3 < fields.length; at += 4) {
      const [ref = '', commit = '', seconds = '', message = ''] = fields.slice(at, at + 4);
      const name = ref.slice(prefix.length);
      if (name.startsWith(uploadPrefix)) continue;
      const path = this.#path(place.machine, name);
      const hasWorktree =
        (await place.machine.stat(place.machine.path.join(path, '.git'))) !== undefined;
      const committedMs = Number(seconds) * 1000;
      branches.push({
        name,
        ref,
        commit,
        path,
        message,
        committedMs,
        hasWorktree,
        isOfLedger: isOfLedger(name),
      });
    }
    return branches;
  }

  /**
   * Resolves with the worktree of a branch; if the worktree was removed, creates it again. `folder`
   * is needed if the repository of the branch is unknown. Rejects with `GitFailure`.
   */
  async checkout(
    { machine, folder, ...rest }: Omit<RepoPlace, 'folder'> & { readonly folder?: string },
    name: string,
  ): Promise<MadeBranch> {
    await machine.ready?.({ mayAsk: true });
    const slug = slugOf(name);
    const repo = folder ?? (await this.#repoOf(machine, slug));
    if (repo === undefined)
      throw new GitFailure(
        'missing',
        `There is no branch ${slug} on ${machine.id}. Call exp_branches to list the branches, or set repo_path.`,
      );
    const place = { machine, folder: repo, ...rest };
    const ref = this.#ref(slug);
    if (!(await this.#has(place, ref)))
      throw new GitFailure(
        'missing',
        `There is no branch ${slug} in ${repo}. ${await this.#known(place)}`,
      );
    return { ...(await this.#worktree(place, slug, ref)), leftOut: [], untracked: [] };
  }

  /**
   * Resolves with the revision that `name` means: a branch or an experiment of the session or, if
   * there is none, a revision of the repository. Rejects with `GitFailure`.
   */
  async resolve(place: RepoPlace, name: string): Promise<string> {
    for (const candidate of this.#meanings(name))
      if (await this.#has(place, candidate)) return candidate;
    throw new GitFailure(
      'missing',
      `There is no branch or revision ${JSON.stringify(name)}. ${await this.#known(place)}`,
    );
  }

  async #begin(
    place: RepoPlace,
    {
      ref,
      slug,
      from,
    }: { readonly ref: string; readonly slug: string; readonly from: string | undefined },
  ): Promise<readonly string[]> {
    if (from !== undefined) {
      await this.#run(place, startScript, ref, await this.resolve(place, from));
      return [];
    }
    const { clock, limits } = this.#deps;
    const message = `${slug}: the checkout as it stands`;
    const request = {
      ...place,
      clock,
      ref,
      message,
      limits: limits?.() ?? defaultLimits,
      leftMs: () => stepMs,
    };
    const { commit, leftOut } = await capture(request);
    if (commit !== undefined) return namedLeftOut(leftOut);
    throw new GitFailure('git', 'The repository is not writable, so no code can be stored in it.');
  }

  async #worktree(
    place: RepoPlace,
    slug: string,
    ref: string,
  ): Promise<Omit<MadeBranch, 'leftOut' | 'untracked'>> {
    const { machine } = place;
    const mark = randomBytes(9).toString('hex');
    const text = await this.#run(
      place,
      addScript,
      this.#path(machine, slug),
      ref,
      heliosFolder(machine),
      mark,
    );
    const [commit = '', path = '', isNew, hasPointers] = text.split('\0');
    const made = { name: slug, ref, commit, path: Buffer.from(path, 'latin1').toString('utf8') };
    return { ...made, isNew: isNew === '1', hasPointers: hasPointers === '1' };
  }

  async #has(place: RepoPlace, revision: string): Promise<boolean> {
    return (await this.#run(place, hasScript, revision)).trim() !== '';
  }

  #meanings(name: string): readonly string[] {
    // Rejects names that git could read as an option, a range or several words.
    if (!/^[^\s\p{Cc}\-:^~?*[\\][^\s\p{Cc}:?*[\\]*$/u.test(name) || name.includes('..')) return [];
    const refs = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/.test(name) ? [this.#ref(name)] : [];
    return [...refs, name];
  }

  async #known(place: RepoPlace): Promise<string> {
    const names = (await this.list(place)).map(({ name }) => name);
    return names.length === 0
      ? 'There are no branches yet. Create one with exp_branch.'
      : `Existing branches and experiments: ${names.slice(-20).join(', ')}.`;
  }

  async #repoOf(machine: Machine, slug: string): Promise<string | undefined> {
    const { clock } = this.#deps;
    const args = [this.#path(machine, slug)];
    const text = await runGit({ machine, script: repoScript, args, clock, timeoutMs: stepMs });
    const repo = Buffer.from(text, 'latin1').toString('utf8').trim();
    return repo === '' ? undefined : repo;
  }

  #run(
    { machine, folder, signal }: RepoPlace,
    script: string,
    ...args: readonly string[]
  ): Promise<string> {
    const { clock } = this.#deps;
    return runGit({
      machine,
      script,
      args: [folder, ...args],
      clock,
      timeoutMs: stepMs,
      ...(signal && { signal }),
    });
  }

  #ref(name: string): string {
    return refOf(this.#deps.sessionId, name);
  }

  #path(machine: Machine, slug: string): string {
    return machine.path.join(worktreesFolder(machine, this.#deps.sessionId), slug);
  }
}

/** Returns the folder with the worktrees of a session or, without an id, of all sessions. */
export const worktreesFolder = (machine: Machine, sessionId: SessionId | '' = ''): string =>
  machine.path.join(heliosFolder(machine), 'worktrees', sessionId);
