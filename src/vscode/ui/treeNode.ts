/** A tree row as plain data; `tree.ts` converts it to VS Code's items. */
import type { CommandId } from './contributions.ts';
import type { Icon } from './icons.ts';

/** The target of a row, passed to the commands of its menu. */
export type RowTarget =
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'run'; readonly runId: string; readonly sessionId: string }
  | { readonly kind: 'experiment'; readonly experimentId: string; readonly sessionId: string }
  | { readonly kind: 'note'; readonly path: string; readonly sessionId?: string }
  | { readonly kind: 'machine'; readonly machineId: string }
  | { readonly kind: 'question'; readonly questionId: string; readonly sessionId: string }
  | { readonly kind: 'sticky'; readonly number: number; readonly sessionId: string }
  | { readonly kind: 'approval'; readonly callId: string; readonly sessionId: string };

export interface TreeNode {
  /** Stable for the lifetime of the thing, so that a redraw keeps expansion and selection. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Markdown. */
  readonly tooltip?: string;
  readonly icon?: Icon;
  /** The row's `contextValue`: words for `when` clauses of menus. */
  readonly context?: string;
  /** Text for screen readers: label, state and value in one sentence. */
  readonly spoken: string;
  readonly target?: RowTarget;
  readonly onClick?: CommandId;
  readonly isExpanded?: boolean;
  /** Default: a leaf. A function is called when the row is expanded. */
  readonly children?: readonly TreeNode[] | (() => Promise<readonly TreeNode[]>);
}
