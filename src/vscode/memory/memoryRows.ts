/** The Memory tree: the notes of each open session, and the notes that all sessions share. */
import type { MemoryNode } from '../../memory/memoryNode.ts';
import { oneLine } from '../../base/text.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { exactTime } from '../../base/localTime.ts';
import { plain } from '../../base/markdown.ts';

export interface MemorySection {
  /** Session whose notes the section contains. Default: the section contains the shared notes. */
  readonly session?: { readonly id: string; readonly goal: string };
  /** Notes and folders, as returned by `MemoryStore.tree`. */
  readonly nodes: readonly MemoryNode[];
}

const globalRoot = '/global';

/**
 * Returns a tree row per section that has notes, with the notes as children. Without any notes,
 * there are no rows, so that VS Code shows the view's welcome text.
 */
export function memoryRows(sections: readonly MemorySection[]): readonly TreeNode[] {
  return sections
    .filter(({ nodes }) => nodes.some((node) => node.path !== globalRoot))
    .map(sectionRow);
}

function sectionRow({ session, nodes }: MemorySection): TreeNode {
  const id = session?.id ?? 'global';
  const label = session === undefined ? 'Shared by all sessions' : oneLine(session.goal, 60);
  return {
    id,
    label,
    icon: { id: session === undefined ? 'globe' : 'beaker' },
    context: 'notes',
    spoken: `Notes: ${label}`,
    target: {
      kind: 'note',
      path: session === undefined ? globalRoot : '/',
      ...(session && { sessionId: session.id }),
    },
    isExpanded: true,
    children: below(session === undefined ? globalRoot : '', nodes, session?.id),
  };
}

function below(
  path: string,
  nodes: readonly MemoryNode[],
  sessionId: string | undefined,
): readonly TreeNode[] {
  const isChild = (node: MemoryNode): boolean => {
    const slash = node.path.lastIndexOf('/');
    return (
      node.path.slice(0, slash) === path && (sessionId === undefined || node.path !== globalRoot)
    );
  };
  return nodes.filter(isChild).map((node) => noteRow(node, nodes, sessionId));
}

function noteRow(
  node: MemoryNode,
  nodes: readonly MemoryNode[],
  sessionId: string | undefined,
): TreeNode {
  const children = below(node.path, nodes, sessionId);
  const name = node.path.slice(node.path.lastIndexOf('/') + 1);
  return {
    id: `${sessionId ?? 'global'}${node.path}`,
    label: name,
    description: node.gist,
    tooltip: [
      `**${plain(node.path)}**`,
      plain(node.gist, 400),
      `Changed ${exactTime(node.updatedMs)}`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    icon: { id: node.type === 'file' ? 'note' : 'folder' },
    context: node.type === 'file' ? 'note' : 'note notes',
    spoken: `${name}${node.gist ? `: ${node.gist}` : ''}`,
    target: { kind: 'note', path: node.path, ...(sessionId !== undefined && { sessionId }) },
    onClick: 'helios.openNote',
    ...(children.length > 0 && { children }),
  };
}
