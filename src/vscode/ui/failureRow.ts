/** The row that a tree shows in the place of rows that could not be read. */
import { messageOf } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';
import { oneLine } from '../../base/text.ts';
import type { TreeNode } from './treeNode.ts';

/** `what`: name of what could not be read, such as `Sessions`. `place`: makes the id of the row. */
export function failureRow(what: string, error: unknown, place: string): TreeNode {
  const text = `${what} could not be read: ${oneLine(messageOf(error), 300)}`;
  return {
    id: `failure ${place}`,
    label: text,
    description: 'Show Output',
    tooltip: plain(text, 600),
    icon: { id: 'error', color: 'testing.iconFailed' },
    spoken: `${text}. Show Output`,
    onClick: 'helios.showOutput',
  };
}
