/**
 * Formats Markdown written by a model. All elements and text nodes are created here: HTML in the
 * text is not parsed, links are inactive, and images are not loaded.
 */
import { element } from '../shared/dom.ts';
import { parseInline, type Span } from './inlineMarkdown.ts';

export function markdown(text: string): HTMLElement {
  const root = element('div', { class: 'markdown' });
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  for (let at = 0; at < lines.length;) at = block(root, lines, at);
  return root;
}

/** Appends the block that starts at line `at`. Returns the index of the line after the block. */
function block(root: HTMLElement, lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return fenced(root, lines, { at, fence });
  const heading = /^(#{1,6})\s+(.*)$/s.exec(line);
  if (heading !== null) {
    const title = element('div', { class: 'heading', role: 'heading', 'aria-level': 4 });
    root.append(withText(title, heading[2] ?? ''));
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

const listItem = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/s;

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
    const item = element('li', { class: indent.length > 1 ? 'is-deep' : undefined });
    withText(item, text);
    at += 1;
    while (/^\s{2,}\S/.test(lines[at] ?? '') && !listItem.test(lines[at] ?? ''))
      withText(item, ` ${(lines[at++] ?? '').trim()}`);
    items.append(item);
  }
  root.append(items);
  return at;
}

function quote(root: HTMLElement, lines: readonly string[], start: number): number {
  let at = start;
  const inner: string[] = [];
  while (/^\s*>/.test(lines[at] ?? '')) inner.push((lines[at++] ?? '').replace(/^\s*>\s?/, ''));
  root.append(withText(element('blockquote'), inner.join(' ')));
  return at;
}

const isTable = (lines: readonly string[], at: number): boolean => {
  const [head = '', rule = ''] = lines.slice(at, at + 2);
  return (
    head.includes('|') && rule.includes('|') && cellsOf(rule).every((cell) => /^:?-+:?$/.test(cell))
  );
};

/** Returns the cells of a row of a table, with or without a bar at its ends. */
const cellsOf = (row: string): string[] => {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => cell.trim());
};

function table(root: HTMLElement, lines: readonly string[], start: number): number {
  const row = (line: string, tag: 'td' | 'th'): HTMLElement => {
    const created = element('tr');
    for (const cell of cellsOf(line)) created.append(withText(element(tag), cell));
    return created;
  };
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
  root.append(withText(element('p'), lines.slice(start, end).join('\n')));
  return end;
}

function beginsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? '';
  return line.trim() === '' || /^\s*(`{3,}|~{3,}|#{1,6}\s|>)/.test(line) || listItem.test(line);
}

/** Appends the text with its code, bold and italic text. */
const withText = <Parent extends HTMLElement>(parent: Parent, text: string): Parent =>
  withSpans(parent, parseInline(text));

/** Appends the spans one by one: a call cannot have as many arguments as a text can have spans. */
function withSpans<Parent extends HTMLElement>(parent: Parent, spans: readonly Span[]): Parent {
  for (const span of spans) parent.append(nodeOf(span));
  return parent;
}

/** Creates the node of a span. A link becomes its text followed by its address. */
function nodeOf(span: Span): Node | string {
  switch (span.kind) {
    case 'text':
      return span.text;
    case 'code':
      return element('code', {}, span.text);
    case 'strong':
      return withSpans(element('strong'), span.spans);
    case 'emphasis':
      return withSpans(element('em'), span.spans);
    case 'link':
      return span.address === '' || span.address === span.text
        ? span.text
        : `${span.text} (${span.address})`;
  }
}
