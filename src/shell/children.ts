/**
 * Returns the children of a node of the syntax tree, and checks that the grammar skipped no text
 * that a shell would read.
 */
import type { Node } from 'web-tree-sitter';
import { must } from './notUnderstood.ts';

/** Matches spaces, tabs and line continuations. */
const blanks = /^(?:[ \t]|\\\n)*$/;
const blanksAndLines = /^(?:[ \t\n]|\\\n)*$/;

/**
 * A node of the syntax tree with the source text. Needed because reading the text through the node
 * is slow.
 */
export interface Place {
  readonly node: Node;
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly source: string;
}

export const placeOf = (node: Node, source: string): Place => ({
  node,
  type: node.type,
  start: node.startIndex,
  end: node.endIndex,
  source,
});

export const written = ({ source, start, end }: Place): string => source.slice(start, end);

/** Returns all children of a node, without checking the text between them. */
export const looseChildren = ({ node, source }: Place): readonly Place[] =>
  node.children.map((child) => placeOf(child, source));

/**
 * Returns the children of a node, except comments. Throws if there is other text between the
 * children.
 */
export function childrenOf(place: Place): readonly Place[] {
  const { start, end, source } = place;
  const children = looseChildren(place);
  let at = start;
  for (const child of children) {
    must(blanksAndLines.test(source.slice(at, child.start)));
    if (child.type === 'comment') must(beginsComment(source.slice(0, child.start)));
    at = child.end;
  }
  must(children.length === 0 || blanksAndLines.test(source.slice(at, end)));
  return children.filter(({ type }) => type !== 'comment');
}

/** Returns true if a `#` after `before` begins a comment: it is not joined to a word. */
function beginsComment(before: string): boolean {
  let end = before.length;
  while (before.slice(end - 2, end) === '\\\n') end -= 2;
  if (end === 0) return true;
  let slashes = end - 1;
  while (before[slashes - 1] === '\\') slashes -= 1;
  const isEscaped = (end - 1 - slashes) % 2 === 1;
  return !isEscaped && /[\s;&|(<>]/.test(before[end - 1] ?? '');
}

/**
 * Returns what lies between two neighbouring nodes:
 * - `joined`: nothing, so they are parts of one word
 * - `apart`: blanks, so they are words of one command
 * - `else`: a line end or other text
 */
export function gapBetween(a: Place, b: Place): 'joined' | 'apart' | 'else' {
  const gap = a.source.slice(a.end, b.start);
  if (/^(?:\\\n)*$/.test(gap)) return 'joined';
  return blanks.test(gap) ? 'apart' : 'else';
}
