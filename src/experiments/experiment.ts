/**
 * An experiment: a hypothesis, tested with one state of the code by a run, several runs, or a
 * sweep. The journal records an experiment before its first run, and its decision afterwards.
 * Recorded data never changes.
 */

/** The state of the code when an experiment was launched. */
export type CodeState =
  | {
      readonly kind: 'git';
      /** Absolute path of the root of the worktree, on the machine. */
      readonly repo: string;
      /** The commit that was checked out; omitted in a repository without commits. */
      readonly head?: string;
      /**
       * Hash of the tree of tracked files at the launch, including uncommitted changes and new
       * files.
       */
      readonly tree: string;
      /** True if the tree differs from that of `head`. */
      readonly isDirty: boolean;
      /** The commit that stores `tree`, under a ref of Helios; omitted if it could not be made. */
      readonly commit?: string;
      /**
       * Files omitted from the tree, with the reason, such as `.env (looks like a secret)`. The
       * length of the list is limited.
       */
      readonly leftOut: readonly string[];
      /**
       * Hash of the files that are part of the code and not stored: those that the command names
       * and git ignores, and changed files over the limits. Omitted if there are none.
       */
      readonly ignored?: string;
      /**
       * Set if the code was uploaded to the machine of the runs: `repo` is then on this computer.
       * `root` on the machine is a copy of `folder` in `repo`.
       */
      readonly uploaded?: CopyPlace;
      readonly notes?: readonly string[];
    }
  /** The code is unknown, for the reason `why`: for example, the folder is not in a repository. */
  | { readonly kind: 'none'; readonly why: string; readonly notes?: readonly string[] };

/** A folder on a machine, and the folder of a repository that it is a copy of. */
export interface CopyPlace {
  readonly root: string;
  /** Path in the repository, with `/`; empty for its root. */
  readonly folder: string;
}

export const decisions = ['keep', 'discard', 'reference', 'crash', 'invalid', 'retest'] as const;
export type Decision = (typeof decisions)[number];

export interface ExperimentPlan {
  /** Id such as `e7`; unique within the session. */
  readonly id: string;
  /** Number of the experiment within its session: 1, 2, 3 … */
  readonly number: number;
  readonly hypothesis: string;
  readonly machineId: string;
  /** The command as the agent wrote it; for a sweep, with its placeholders. */
  readonly command: string;
  /** Absolute path of the folder in which the command runs, on the machine. */
  readonly cwd: string;
  readonly code: CodeState;
  /**
   * The tree of an earlier experiment whose difference from `code` cannot affect a run: only
   * comments, empty lines or outputs differ.
   */
  readonly sameCodeAs?: string;
  /**
   * Hash that is equal for the same code state and the same arguments, whatever their order, quotes
   * and spaces.
   */
  readonly fingerprint: string;
  /** The seed in the command; omitted if there is none. */
  readonly seed?: string;
  /**
   * Id (`env1`) of the environment, such as packages and drivers, that was last recorded for the
   * machine and the folder.
   */
  readonly envId?: string;
  /**
   * Set if the experiment repeats another one on purpose: the id of that experiment and the reason.
   */
  readonly retest?: { readonly of: string; readonly why: string };
  /**
   * Id of the earlier experiment of the session whose code this one started from. Omitted if it
   * started from none, and by older versions.
   */
  readonly basedOn?: string;
}

/**
 * Returns the branch of the session in whose worktree the code was; `undefined` for code from
 * elsewhere.
 */
export function branchOf(code: CodeState, sessionId: string): string | undefined {
  if (code.kind === 'none') return undefined;
  const [name = '', session, folder] = code.repo.split('/').reverse();
  return folder === 'worktrees' && session === sessionId ? name : undefined;
}
