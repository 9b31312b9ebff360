/** Arranges rows of experiments below the experiments that they built on. */
import { hypothesisTree } from '../../presentation/experiments/hypothesisTree.ts';
import type { ExperimentRow } from '../../experiments/ledger.ts';
import type { TreeNode } from '../ui/treeNode.ts';

/** Depth below which rows stay in one level, because a side bar is narrow. */
const maxDepth = 12;

interface Node {
  readonly id: string;
  readonly built: Node[];
}

/**
 * Returns the rows of experiments that built on none, in their order. Each row has as children its
 * runs, then the experiments that built on it. `rowOf`: the row of an experiment, if it has one.
 */
export function builtRows(
  experiments: readonly ExperimentRow[],
  rowOf: (id: string) => TreeNode | undefined,
): readonly TreeNode[] {
  const top: Node = { id: '', built: [] };
  const path = [top];
  for (const { row, depth } of hypothesisTree(experiments)) {
    const level = Math.min(depth, maxDepth);
    const node: Node = { id: row.id, built: [] };
    path[level]?.built.push(node);
    path[level + 1] = node;
  }
  const rowsOf = ({ built }: Node): TreeNode[] =>
    built.flatMap((node) => {
      const row = rowOf(node.id);
      const children = rowsOf(node);
      return row === undefined ? children : [withBuilt(row, children)];
    });
  return rowsOf(top);
}

/** VS Code applies `isExpanded` only to new rows, so the row gets an id of its own. */
function withBuilt(row: TreeNode, built: readonly TreeNode[]): TreeNode {
  if (built.length === 0) return row;
  const own = Array.isArray(row.children) ? (row.children as readonly TreeNode[]) : [];
  const text = built.length === 1 ? '1 built on it' : `${built.length} built on it`;
  return {
    ...row,
    id: `built/${row.id}`,
    spoken: `${row.spoken}, ${text}`,
    isExpanded: true,
    children: [...own, ...built.toReversed()],
  };
}
