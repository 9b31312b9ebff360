/**
 * Steps from a node of the syntax tree to its children, and checks that the grammar skipped nothing
 * that a shell would read.
 */
import type { Node } from 'web-tree-sitter';
import { must } from './notUnderstood.ts';

/** Spaces, tabs and continued lines. */
const blanks = /^(?:[ \t]|\\\n)*$/;
const blanksAndLines = /^(?:[ \t\n]|\\\n)*$/;

/** A node with its source text, since asking a node for its own text is slow. */
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

/** Returns all children. The text between them may be anything. */
export const looseChildren = ({ node, source }: Place): readonly Place[] =>
  node.children.map((child) => placeOf(child, source));

/** Returns the children without comments. Throws if other text lies between them. */
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

const beginsComment = (before: string): boolean =>
  /(?:^|[\s;&|()<>])(?:\\\n)*$/.test(before.slice(-40));

/**
 * - `joined`: parts of one word
 * - `apart`: words of one command
 * - `else`: separated by a line end or other text
 */
export function gapBetween(a: Place, b: Place): 'joined' | 'apart' | 'else' {
  const gap = a.source.slice(a.end, b.start);
  if (/^(?:\\\n)*$/.test(gap)) return 'joined';
  return blanks.test(gap) ? 'apart' : 'else';
}
