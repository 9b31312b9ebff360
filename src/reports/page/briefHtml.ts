/**
 * Converts the Markdown of our own reports to HTML: headings, lists, tables, quotations, paragraphs,
 * bold, emphasis, code, anchors, and links within the page. Everything else is shown as text.
 */
import { runsName } from '../mentions.ts';
import { joined, tag, type Content, type Html, table } from './html.ts';

/** A part of the report: what stands below a heading. */
export interface BriefPart {
  /** Empty for what stands before the first heading of a part. */
  readonly title: string;
  readonly content: Html;
}

/** Splits the report at its headings of the second level. */
export function briefParts(markdown: string): readonly BriefPart[] {
  return markdown.split(/^(?=## )/m).map((text) => {
    const [, title = '', rest = ''] = /^## (.*)\n?([^]*)$/.exec(text) ?? ['', '', text];
    return { title, content: blocksOf(rest) };
  });
}

type Kind = 'heading' | 'list' | 'table' | 'quote' | 'text' | 'none';

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'none';
  if (line.startsWith('# ')) return 'heading';
  if (/^ *- /.test(line)) return 'list';
  if (line.startsWith('|')) return 'table';
  return line.startsWith('>') ? 'quote' : 'text';
}

function blocksOf(markdown: string): Html {
  const blocks: Html[] = [];
  let lines: string[] = [];
  let kind: Kind = 'none';
  const end = (): void => {
    if (kind !== 'none') blocks.push(blockOf(kind, lines));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const next = kindOf(line);
    if (next !== kind) end();
    kind = next;
    lines.push(line);
  }
  end();
  return joined(blocks, '\n');
}

function blockOf(kind: Kind, lines: readonly string[]): Html {
  switch (kind) {
    case 'heading':
      return joined(lines.map((line) => tag('h1', {}, inline(line.slice(2)))));
    case 'list':
      return tag('ul', {}, ...lines.map(itemOf));
    case 'table':
      return tableOf(lines);
    case 'quote':
      return tag('blockquote', {}, broken(lines.map((line) => line.replace(/^> ?/, ''))));
    default:
      return tag('p', {}, broken(lines));
  }
}

/** Returns an item of a list; one of a list within it is only indented. */
const itemOf = (line: string): Html =>
  tag(
    'li',
    { class: line.startsWith(' ') ? 'inner' : undefined },
    inline(line.replace(/^ *- /, '')),
  );

/** Returns the lines with line breaks; a backslash at the end of a line is only such a break. */
const broken = (lines: readonly string[]): Html =>
  joined(
    lines.map((line) => inline(line.replace(/\\$/, ''))),
    '<br>\n',
  );

function tableOf([head = '', marks = '', ...rows]: readonly string[]): Html {
  const isNumber = cellsOf(marks).map((mark) => mark.trim() === '--:');
  const heads = cellsOf(head).map(inline);
  return table(
    'Table',
    heads,
    rows.map((row) => rowOf(cellsOf(row), isNumber)),
    isNumber,
  );
}

const rowOf = (cells: readonly string[], isNumber: readonly boolean[]): Html =>
  tag(
    'tr',
    {},
    ...cells.map((cell, index) =>
      tag('td', { class: isNumber[index] ? 'number' : undefined }, inline(cell)),
    ),
  );

/** Splits a row at the bars that no backslash escapes, and leaves out the outer ones. */
const cellsOf = (row: string): string[] =>
  row
    .split(/(?<!(?<!\\)(?:\\\\)*\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

const code = String.raw`(?<fence>\`+)(?<code>[^]*?[^\`])\k<fence>(?!\`)`;
const escape = String.raw`\\(?<sign>[!-/:-@[-\`{-~])`;
const anchor = String.raw`<a id="(?<id>[\w-]+)"></a>`;
const bold = String.raw`\*\*(?<bold>(?:\\.|\`[^\`]*\`|[^*\\])+)\*\*`;
const emphasis = String.raw`\*(?<emphasis>(?:\\.|[^*\\])+)\*`;
const link = String.raw`!?\[(?<label>(?:\\.|[^\]\\])*)\]\((?<target>[^)\s]*)\)`;
const tokens = new RegExp([code, escape, anchor, bold, emphasis, link, '&lt;'].join('|'), 'g');

/** Converts the marks within a line. */
function inline(text: string): Html {
  const found: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    found.push(text.slice(end, match.index), tokenOf(match));
    end = match.index + match[0].length;
  }
  return joined([...found, text.slice(end)]);
}

function tokenOf({ groups = {} }: RegExpMatchArray): Content {
  const { code, sign, id, bold, emphasis, label, target = '' } = groups;
  if (code !== undefined) return tag('code', {}, unpadded(code).replaceAll('\\|', '|'));
  if (sign !== undefined) return sign;
  if (id !== undefined) return tag('a', { id });
  if (bold !== undefined) return tag('b', {}, inline(bold));
  if (emphasis !== undefined) return tag('em', {}, inline(emphasis));
  if (label === undefined) return '<';
  return linkTo(target, label);
}

/** Returns code without the spaces that separate it from its fence. */
const unpadded = (text: string): string => /^ (.*) $/.exec(text)?.[1] ?? text;

/**
 * Returns a link to an anchor of this page, which contains the list of runs; the label alone for all
 * other targets.
 */
function linkTo(target: string, label: string): Html {
  const place = target === runsName ? '#runs' : /^(?:runs\.md)?(#[\w-]+)$/.exec(target)?.[1];
  return place === undefined ? inline(label) : tag('a', { href: place }, inline(label));
}
