/** A row of a tree as plain data; `trees.ts` turns it into what VS Code draws. */
import type { CommandId } from './contributions.ts';
import type { Icon } from './icons.ts';

/** What a row stands for: handed to the commands of its menu. */
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
  /**
   * Stable for as long as the thing lives, so that a redraw keeps what is expanded and selected.
   */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Markdown. */
  readonly tooltip?: string;
  readonly icon?: Icon;
  /** Words that the menus look for. */
  readonly context?: string;
  /** What a screen reader says: label, state and value in one sentence. */
  readonly spoken: string;
  readonly target?: RowTarget;
  readonly onClick?: CommandId;
  readonly isExpanded?: boolean;
  /** Absent: a leaf. A function is called when the row is opened. */
  readonly children?: readonly TreeNode[] | (() => Promise<readonly TreeNode[]>);
}
