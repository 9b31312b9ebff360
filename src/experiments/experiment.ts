/**
 * The words of experiments: a hypothesis, tried in one state of the code by one run, by several, or
 * by a sweep. An experiment is planned in the journal before its first run, and decided on
 * afterwards; nothing of it is ever rewritten.
 */

/** What the code was when an experiment was launched. */
export type CodeState =
  | {
      readonly kind: 'git';
      /** The top folder of the worktree, absolute, on the machine. */
      readonly repo: string;
      /** The commit that was checked out; absent in a repository without one. */
      readonly head?: string;
      /**
       * Hash of the tree of all that was there: tracked files as they stood, changes and new files
       * included.
       */
      readonly tree: string;
      /** The tree is another one than that of `head`. */
      readonly isDirty: boolean;
      /** The commit that keeps `tree`, below a ref of ours; absent where it could not be kept. */
      readonly commit?: string;
      /** Files that the tree does not hold, such as `.env (looks like a secret)`; bounded. */
      readonly leftOut: readonly string[];
      /**
       * Digest of the files that the command names and the repository ignores; absent where there
       * are none.
       */
      readonly ignored?: string;
    }
  /** Such as: the folder is in no repository. */
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
  /** As given: with its placeholders where it is a sweep. */
  readonly command: string;
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly code: CodeState;
  /**
   * The tree of an earlier experiment that a run could not tell from `code`: comments, empty lines
   * and outputs differ.
   */
  readonly sameCodeAs?: string;
  /**
   * The same for the same code state and the same arguments, whatever their order, quotes and
   * spaces.
   */
  readonly fingerprint: string;
  /** As the command names it. */
  readonly seed?: string;
  /** The environment that was recorded last for the machine and folder. */
  readonly envId?: string;
  /** It repeats another one on purpose. */
  readonly retest?: { readonly of: string; readonly why: string };
}
