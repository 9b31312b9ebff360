/**
 * Formats Markdown written by a model. All elements and text nodes are created here: HTML in the
 * text is not parsed, links are inactive, and images are not loaded.
 */
import { element } from '../shared/dom.ts';

export function markdown(text: string): HTMLElement {
  const root = element('div', { class: 'markdown' });
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length;) at = block(root, lines, at);
  return root;
}

/** Appends the block that starts at line `at`. Returns the index of the line after the block. */
function block(root: HTMLElement, lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return fenced(root, lines, { at, fence });
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null) {
    root.append(
      element(
        'div',
        { class: 'heading', role: 'heading', 'aria-level': 4 },
        ...inline(heading[2] ?? ''),
      ),
    );
    return at + 1;
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
    root.append(element('hr'));
    return at + 1;
  }
  if (isTable(lines, at)) return table(root, lines, at);
  if (listItem.test(line)) return list(root, lines, at);
  if (/^\s*>/.test(line)) return quote(root, lines, at);
  return paragraph(root, lines, at);
}

function fenced(
  root: HTMLElement,
  lines: readonly string[],
  from: { readonly at: number; readonly fence: string },
): number {
  let end = from.at + 1;
  while (end < lines.length && !(lines[end] ?? '').trim().startsWith(from.fence)) end++;
  root.append(element('pre', {}, element('code', {}, lines.slice(from.at + 1, end).join('\n'))));
  return end + 1;
}

const listItem = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;

/** Appends a list. Nested items are in the same list, indented. */
function list(root: HTMLElement, lines: readonly string[], start: number): number {
  const isOrdered = /^\s*\d/.test(lines[start] ?? '');
  const items = element(isOrdered ? 'ol' : 'ul');
  let at = start;
  for (
    let match = listItem.exec(lines[at] ?? '');
    match !== null;
    match = listItem.exec(lines[at] ?? '')
  ) {
    const [, indent = '', , text = ''] = match;
    const item = element(
      'li',
      { class: indent.length > 1 ? 'is-deep' : undefined },
      ...inline(text),
    );
    at += 1;
    while (/^\s{2,}\S/.test(lines[at] ?? '') && !listItem.test(lines[at] ?? ''))
      item.append(' ', ...inline((lines[at++] ?? '').trim()));
    items.append(item);
  }
  root.append(items);
  return at;
}

function quote(root: HTMLElement, lines: readonly string[], start: number): number {
  let at = start;
  const inner: string[] = [];
  while (/^\s*>/.test(lines[at] ?? '')) inner.push((lines[at++] ?? '').replace(/^\s*>\s?/, ''));
  root.append(element('blockquote', {}, ...inline(inner.join(' '))));
  return at;
}

const isTable = (lines: readonly string[], at: number): boolean =>
  (lines[at] ?? '').includes('|') &&
  /^\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*\|?\s*$/.test(lines[at + 1] ?? '');

function table(root: HTMLElement, lines: readonly string[], start: number): number {
  const cells = (line: string): string[] =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|');
  const row = (line: string, tag: 'td' | 'th'): HTMLElement =>
    element('tr', {}, ...cells(line).map((cell) => element(tag, {}, ...inline(cell.trim()))));
  const head = element('thead', {}, row(lines[start] ?? '', 'th'));
  const body = element('tbody');
  let at = start + 2;
  while ((lines[at] ?? '').includes('|')) body.append(row(lines[at++] ?? '', 'td'));
  root.append(element('table', {}, head, body));
  return at;
}

function paragraph(root: HTMLElement, lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length && !beginsBlock(lines, end)) end++;
  root.append(element('p', {}, ...inline(lines.slice(start, end).join('\n'))));
  return end;
}

function beginsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return line.trim() === '' || /^\s*(`{3,}|~{3,}|#{1,6}\s|>)/.test(line) || listItem.test(line);
}

const marks =
  /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])[*_](\S(?:[^*_]*?\S)?)[*_](?!\w)|!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)/gs;

/** Formats code, bold and italic text. A link becomes its text followed by its address. */
function inline(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, , code, strong, emphasis, words, address = ''] = match;
    if (match.index > from) parts.push(text.slice(from, match.index));
    from = match.index + whole.length;
    if (code !== undefined) parts.push(element('code', {}, code.trim()));
    else if (strong !== undefined) parts.push(element('strong', {}, ...inline(strong)));
    else if (emphasis !== undefined) parts.push(element('em', {}, ...inline(emphasis)));
    else parts.push(words ?? '', address === '' || address === words ? '' : ` (${address})`);
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
