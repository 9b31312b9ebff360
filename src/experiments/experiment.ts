/**
 * An experiment: a hypothesis, tried in one state of the code by a run, several runs, or a sweep.
 * It is recorded in the journal before its first run and decided on afterwards. Nothing recorded is
 * ever rewritten.
 */

/** The state of the code when an experiment was launched. */
export type CodeState =
  | {
      readonly kind: 'git';
      /** Absolute path of the worktree root, on the machine. */
      readonly repo: string;
      /** The commit that was checked out; omitted in a repository without commits. */
      readonly head?: string;
      /** Hash of the tree of tracked files as they were, including changes and new files. */
      readonly tree: string;
      /** True if the tree differs from that of `head`. */
      readonly isDirty: boolean;
      /** The commit that keeps `tree`, under a ref of Helios; omitted if it could not be stored. */
      readonly commit?: string;
      /**
       * Files that the tree does not contain, such as `.env (looks like a secret)`. The length is
       * bounded.
       */
      readonly leftOut: readonly string[];
      /** Hash of ignored files that the command names; omitted if there are none. */
      readonly ignored?: string;
    }
  /** `why`, for example: the folder is in no repository. */
  | { readonly kind: 'none'; readonly why: string };

export const decisions = ['keep', 'discard', 'crash', 'invalid', 'retest'] as const;
export type Decision = (typeof decisions)[number];

export interface ExperimentPlan {
  /** `e7`; unique within its session. */
  readonly id: string;
  /** 1, 2, 3 … within its session. */
  readonly number: number;
  readonly hypothesis: string;
  readonly machineId: string;
  /** The command as written; for a sweep, with its placeholders. */
  readonly command: string;
  /** Absolute path on the machine. */
  readonly cwd: string;
  readonly code: CodeState;
  /**
   * The tree of an earlier experiment that a run could not tell from `code`: only comments, empty
   * lines and outputs differ.
   */
  readonly sameCodeAs?: string;
  /**
   * Equal for the same code state and the same arguments, whatever their order, quotes and spaces.
   */
  readonly fingerprint: string;
  /** The seed in the command. */
  readonly seed?: string;
  /** The last recorded environment of the machine and the folder. */
  readonly envId?: string;
  /** Set if it repeats another experiment on purpose. */
  readonly retest?: { readonly of: string; readonly why: string };
}
