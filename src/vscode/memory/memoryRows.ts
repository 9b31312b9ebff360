/** The Memory tree: the notes of each open session, and the notes that sessions share. */
import type { MemoryNode } from '../../memory/memoryNode.ts';
import { oneLine } from '../../base/text.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { exactTime } from '../../base/localTime.ts';
import { plain } from '../../base/markdown.ts';

export interface MemorySection {
  /** Session whose notes the section contains. Omitted for a section with shared notes. */
  readonly session?: { readonly id: string; readonly name: string };
  /** Path of the folder of the notes. */
  readonly root: '/' | '/project' | '/global';
  /** Notes and folders, as returned by `MemoryStore.tree`. */
  readonly nodes: readonly MemoryNode[];
}

/**
 * Returns a tree row per section that has notes, with the notes as children. Without any notes,
 * there are no rows, so that VS Code shows the view's welcome text.
 */
export function memoryRows(sections: readonly MemorySection[]): readonly TreeNode[] {
  return sections
    .filter(({ nodes, root }) => nodes.some(({ path }) => path !== root && isWithin(root, path)))
    .map(sectionRow);
}

const isWithin = (root: MemorySection['root'], path: string): boolean =>
  root === '/'
    ? !isWithin('/project', path) && !isWithin('/global', path)
    : path === root || path.startsWith(`${root}/`);

const looks = {
  '/': { label: '', icon: 'beaker' },
  '/project': { label: 'Shared in this project', icon: 'repo' },
  '/global': { label: 'Shared by all sessions', icon: 'globe' },
} as const;

function sectionRow({ session, root, nodes }: MemorySection): TreeNode {
  const label = session === undefined ? looks[root].label : oneLine(session.name, 60);
  const shown = nodes.filter(({ path }) => isWithin(root, path));
  return {
    id: session?.id ?? root.slice(1),
    label,
    icon: { id: looks[root].icon },
    context: 'notes',
    spoken: `Notes: ${label}`,
    target: {
      kind: 'note',
      path: root,
      ...(session && { sessionId: session.id }),
    },
    isExpanded: true,
    children: below(root === '/' ? '' : root, shown, session?.id),
  };
}

function below(
  path: string,
  nodes: readonly MemoryNode[],
  sessionId: string | undefined,
): readonly TreeNode[] {
  const isChild = (node: MemoryNode): boolean =>
    node.path.slice(0, node.path.lastIndexOf('/')) === path;
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
    id: `${sessionId ?? 'shared'}${node.path}`,
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
