/**
 * Changes to the text of a file in JSON that leave its comments and its layout alone: those of
 * jsonc-parser lose comments beside what they take away. The text must be whole, and no name may
 * stand twice on the way to what is changed.
 */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  parseTree,
  type JSONPath,
  type Node,
} from 'jsonc-parser';

/**
 * Puts `value` at `path`, where its object or list is there; `undefined` takes away what stands
 * there.
 */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  const { node, holder } = find(text, path);
  if (value === undefined) return node === undefined ? text : without(text, node);
  if (node === undefined)
    return holder === undefined ? text : withMember(text, holder, value, path.at(-1));
  const content = written(text, value, indentAt(text, node.offset));
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

/**
 * Puts `value` at the end of the list at `path`. A comment behind the last item stays with that
 * item.
 */
export function withItem(text: string, path: JSONPath, value: unknown): string {
  const { node } = find(text, path);
  return node === undefined ? text : withMember(text, node, value);
}

function find(
  text: string,
  path: JSONPath,
): { readonly node: Node | undefined; readonly holder: Node | undefined } {
  const root = parseTree(text);
  const at = (place: JSONPath): Node | undefined => root && findNodeAtLocation(root, place);
  return { node: at(path), holder: at(path.slice(0, -1)) };
}

/** `holder` is an object, or a list where there is no `name`. */
function withMember(text: string, holder: Node, value: unknown, name?: string | number): string {
  const last = holder.children?.at(-1);
  const { unit, eol } = layoutOf(text);
  const indent = last ? indentAt(text, last.offset) : indentAt(text, holder.offset) + unit;
  const label = typeof name === 'string' ? `${JSON.stringify(name)}: ` : '';
  const content = label + written(text, value, indent);
  const put = (offset: number, put: string, length = 0) => ({ offset, length, content: put });
  if (last !== undefined) {
    const end = endOf(last);
    const lineEnd = commentEnd(text, end);
    if (lineEnd !== undefined)
      return applyEdits(text, [put(end, ','), put(lineEnd, `${eol}${indent}${content}`)]);
    return applyEdits(text, [put(end, `, ${label}${JSON.stringify(value)}`)]);
  }
  const [open, close] = [holder.offset + 1, endOf(holder) - 1];
  const outer = indentAt(text, close);
  if (text.slice(open, close).trim() === '')
    return applyEdits(text, [
      put(open, `${eol}${indent}${content}${eol}${indentAt(text, holder.offset)}`, close - open),
    ]);
  const isAlone = text.slice(0, close).endsWith(`\n${outer}`);
  return applyEdits(text, [
    isAlone ? put(close - outer.length, `${indent}${content}${eol}`) : put(close, content),
  ]);
}

/**
 * Takes away a member of an object or a list, with the comments above it and behind it. Those of
 * others stay.
 */
function without(text: string, value: Node): string {
  const { node, holder, before, isLast } = placeOf(value);
  const commaBefore = before && commaAfter(text, endOf(before));
  const end = isLast ? endOf(node) : commaAfter(text, endOf(node)) + 1;
  const lineEnd = commentEnd(text, end);
  const open = (commaBefore ?? holder.offset) + 1;
  const begin = commentEnd(text, open);
  // What stands behind it on its line must not become part of the comment before it.
  const content = begin !== undefined && lineEnd === undefined ? layoutOf(text).eol : '';
  const taken = { offset: begin ?? open, length: (lineEnd ?? end) - (begin ?? open), content };
  // The last member leaves no comma behind.
  const comma =
    isLast && commaBefore !== undefined ? [{ offset: commaBefore, length: 1, content: '' }] : [];
  return applyEdits(text, [...comma, taken]);
}

/**
 * Where a value stands among the members of its object or list; `node` is the value, with its name
 * in an object.
 */
function placeOf(value: Node) {
  const node = value.parent?.type === 'property' ? value.parent : value;
  const holder = node.parent ?? node;
  const members = holder.children ?? [];
  const index = members.indexOf(node);
  return { node, holder, before: members[index - 1], isLast: index === members.length - 1 };
}

const endOf = ({ offset, length }: Node): number => offset + length;

/**
 * The end of the line where only comments stand on it from `offset` on; `undefined` where something
 * else does.
 */
function commentEnd(text: string, offset: number): number | undefined {
  const comments = /(?:[ \t]|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/y;
  comments.lastIndex = offset;
  return comments.test(text) ? comments.lastIndex : undefined;
}

/** Only spaces and comments stand before it. */
function commaAfter(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

/** Of the line that `offset` is on. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';

/** As the file is indented already. */
function layoutOf(text: string): { readonly unit: string; readonly eol: string } {
  const [, unit = '  '] = /\n( +|\t)\S/.exec(text) ?? [];
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function written(text: string, value: unknown, indent: string): string {
  const { unit, eol } = layoutOf(text);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}
