/** A tree row as plain data; `tree.ts` converts it to VS Code's items. */
import type { CommandId } from './contributions.ts';
import type { Icon } from './icons.ts';

/**
 * The object that a row shows. The commands in the row's menu receive the target in their argument.
 */
export type RowTarget =
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'run'; readonly runId: string; readonly sessionId: string }
  /** `runId`: the only run of the experiment, if the row shows both. */
  | {
      readonly kind: 'experiment';
      readonly experimentId: string;
      readonly runId?: string;
      readonly sessionId: string;
    }
  | { readonly kind: 'note'; readonly path: string; readonly sessionId?: string }
  | { readonly kind: 'machine'; readonly machineId: string }
  | { readonly kind: 'question'; readonly questionId: string; readonly sessionId: string }
  | { readonly kind: 'sticky'; readonly number: number; readonly sessionId: string }
  | { readonly kind: 'approval'; readonly approvalId: string; readonly sessionId: string };

export interface TreeNode {
  /**
   * Id of the row. If the id stays the same, VS Code preserves the expansion and selection of the
   * row across redraws.
   */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Tooltip, as Markdown. */
  readonly tooltip?: string;
  readonly icon?: Icon;
  /** The row's `contextValue`: words that the `when` clauses of menus match. */
  readonly context?: string;
  /** Text for screen readers: label, state and value in one sentence. */
  readonly spoken: string;
  readonly target?: RowTarget;
  readonly onClick?: CommandId;
  readonly isExpanded?: boolean;
  /** Changes when the rows of a function in `children` change, so that they are loaded again. */
  readonly version?: string;
  /** Child rows. Default: none. A function is called when the user expands the row. */
  readonly children?: readonly TreeNode[] | (() => Promise<readonly TreeNode[]>);
}
