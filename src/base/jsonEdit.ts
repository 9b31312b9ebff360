/**
 * Edits JSON text without changing its comments and its layout. `modify` of jsonc-parser is not
 * used, because it deletes the comments next to a removed member. The text must be valid JSON with
 * comments, and no key on the path may occur twice.
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
 * Returns the text with `value` at `path`, or without that member if `value` is `undefined`.
 * Returns the text unchanged if the object or list that would contain the member does not exist.
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
 * Appends `value` to the list at `path`. A comment after the previous last item stays with that
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

/**
 * Adds `value` at the end of `holder`: as the member `name` of an object or, if `name` is not a
 * string, as an item of a list.
 */
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
 * Removes a member of an object or a list, together with the comments directly above the member and
 * after it. Comments of other members stay.
 */
function without(text: string, value: Node): string {
  const { node, holder, before, isLast } = placeOf(value);
  const commaBefore = before && commaAfter(text, endOf(before));
  const end = isLast ? endOf(node) : commaAfter(text, endOf(node)) + 1;
  const lineEnd = commentEnd(text, end);
  const open = (commaBefore ?? holder.offset) + 1;
  const begin = commentEnd(text, open);
  // If other text follows the removed member on its line, insert a line break, so that this text
  // does not become part of a comment in front of the member.
  const content = begin !== undefined && lineEnd === undefined ? layoutOf(text).eol : '';
  const removal = { offset: begin ?? open, length: (lineEnd ?? end) - (begin ?? open), content };
  // Removing the last member also removes the comma before it.
  const comma =
    isLast && commaBefore !== undefined ? [{ offset: commaBefore, length: 1, content: '' }] : [];
  return applyEdits(text, [...comma, removal]);
}

/**
 * Locates a value in its object or list. `node` is the value or, in an object, the whole member
 * with its name.
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
 * Returns the end of the line if only comments follow `offset` on that line, otherwise `undefined`.
 */
function commentEnd(text: string, offset: number): number | undefined {
  const comments = /(?:[ \t]|\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/y;
  comments.lastIndex = offset;
  return comments.test(text) ? comments.lastIndex : undefined;
}

/**
 * Returns the offset of the next comma. Between `offset` and the comma, there may be only white
 * space and comments.
 */
function commaAfter(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

/** Returns the indentation of the line that contains `offset`. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';

/** Returns the indentation per level and the line ending that the text uses. */
function layoutOf(text: string): { readonly unit: string; readonly eol: string } {
  const [, unit = '  '] = /\n( +|\t)\S/.exec(text) ?? [];
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function written(text: string, value: unknown, indent: string): string {
  const { unit, eol } = layoutOf(text);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}
