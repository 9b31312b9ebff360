/**
 * Renders the tree of notes for a prompt, within a budget of tokens. The same notes always give the
 * same text.
 */
import { textTokens } from '../base/textTokens.ts';
import type { MemoryNode } from './memoryNode.ts';
import { shownGist } from './recordedNotes.ts';

const gistChars = 140;
/**
 * Share (0 to 1) of the token budget that top-level nodes get first. Recently updated nodes get the
 * remaining tokens.
 */
const topShare = 0.5;
/**
 * Number of tokens of the line `… 12345 more under /a/long/path`, not counting the path and the
 * indentation.
 */
const moreTokens = 10;
const newlineTokens = 0.5;

interface Branch {
  readonly node: MemoryNode;
  readonly line: string;
  /** Number of tokens of the node's line and of a possible line about hidden children. */
  readonly cost: number;
  readonly parent: Branch | undefined;
  readonly depth: number;
  isShown: boolean;
  /** Number of hidden nodes that the line `… 7 more under` of this node counts. */
  hidden: number;
}

/**
 * Returns the rendered tree; an empty text if there are no nodes or the budget is too small.
 * `nodes` are in tree order, parents first. When not all nodes fit in the budget (as counted by
 * `textTokens`), shows top-level nodes first, then the most recently updated nodes with their
 * folders; lines such as `… 7 more under /papers` count the hidden nodes.
 */
export function renderTree(nodes: readonly MemoryNode[], budgetTokens: number): string {
  if (nodes.length === 0) return '';
  const branches = branchesOf(nodes);
  const whole = branches.map(({ line }) => line).join('\n');
  return textTokens(whole) <= budgetTokens ? whole : renderSome(branches, budgetTokens);
}

function renderSome(branches: readonly Branch[], budgetTokens: number): string {
  choose(branches, budgetTokens);
  let hiddenAtTop = 0;
  for (const branch of branches) {
    if (branch.isShown) continue;
    let above = branch.parent;
    while (above !== undefined && !above.isShown) above = above.parent;
    if (above === undefined) hiddenAtTop += 1;
    else above.hidden += 1;
  }
  const lines = linesOf(branches);
  if (hiddenAtTop > 0) lines.push(`… ${hiddenAtTop} more under /`);
  const text = lines.join('\n');
  return textTokens(text) <= budgetTokens ? text : '';
}

/** Returns the lines of the tree. In each folder, the line about hidden nodes comes last. */
function linesOf(branches: readonly Branch[]): string[] {
  const lines: string[] = [];
  const open: Branch[] = [];
  const closeTo = (depth: number): void => {
    for (let last = open.at(-1); last !== undefined && last.depth >= depth; last = open.at(-1)) {
      if (last.hidden > 0)
        lines.push(`${indent(last.depth + 1)}… ${last.hidden} more under ${last.node.path}`);
      open.pop();
    }
  };
  for (const branch of branches.filter((candidate) => candidate.isShown)) {
    closeTo(branch.depth);
    lines.push(branch.line);
    open.push(branch);
  }
  closeTo(0);
  return lines;
}

function choose(branches: readonly Branch[], budgetTokens: number): void {
  const recentFirst = [...branches].sort(
    (a, b) => b.node.updatedMs - a.node.updatedMs || (a.node.path < b.node.path ? -1 : 1),
  );
  let leftTokens = budgetTokens - moreTokens;
  const show = (branch: Branch, reservedTokens: number): void => {
    const missing: Branch[] = [];
    for (let at: Branch | undefined = branch; at !== undefined && !at.isShown; at = at.parent)
      missing.push(at);
    const cost = missing.reduce((sum, each) => sum + each.cost, 0);
    if (leftTokens - cost < reservedTokens) return;
    leftTokens -= cost;
    for (const each of missing) each.isShown = true;
  };
  const forRecent = (budgetTokens - moreTokens) * (1 - topShare);
  for (const branch of recentFirst) if (branch.depth === 0) show(branch, forRecent);
  for (const branch of recentFirst) show(branch, 0);
}

function branchesOf(nodes: readonly MemoryNode[]): Branch[] {
  const byPath = new Map<string, Branch>();
  const parents = new Set(nodes.map((node) => parentOf(node.path)));
  for (const node of nodes) {
    const parent = byPath.get(parentOf(node.path));
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const hasChildren = parents.has(node.path);
    const name = node.path.slice(node.path.lastIndexOf('/'));
    const line = `${indent(depth)}${name}${hasChildren ? '/' : ''}${node.gist === '' ? '' : `: ${shownGist(node, gistChars)}`}`;
    const moreCost = hasChildren ? textTokens(indent(depth + 1) + node.path) + moreTokens : 0;
    const cost = textTokens(line) + newlineTokens + moreCost;
    byPath.set(node.path, { node, line, cost, parent, depth, isShown: false, hidden: 0 });
  }
  return [...byPath.values()];
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const indent = (depth: number): string => '  '.repeat(depth);
