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

const beginsComment = (before: string): boolean =>
  /(?:^|[\s;&|()<>])(?:\\\n)*$/.test(before.slice(-40));

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
