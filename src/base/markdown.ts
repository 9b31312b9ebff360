/** Escapes text of a process, a file or a model for use in Markdown. */
import { showHidden } from './hiddenCharacters.ts';
import { cleanText, oneLine } from './text.ts';

/**
 * Escapes text so that Markdown shows it unchanged on one line: no links, icons, formatting or
 * table cells.
 */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(showHidden(cleanText(text)), maxChars).replace(
    /[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g,
    (mark, at: number, text: string) =>
      // After an address that Markdown makes a link, a backslash would become part of the address.
      mark === '<' && text[at - 1] !== ' ' ? '&lt;' : `\\${mark}`,
  );

/**
 * Returns Markdown as text for a terminal: without escapes, emphasis, pictures, anchors and the
 * addresses of links. Code, lists and tables stay as they are.
 */
export const terminalText = (markdown: string): string =>
  markdown
    .split(/(`+[^`]*`+)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(/!\[[^\]]*\]\([^)]*\)|<a id="[^"]*"><\/a>/g, '')
            .replaceAll(/(?<!\\)\[((?:\\.|[^\]\\])*)\]\([^)\s]*\)/g, '$1')
            .replaceAll(/(?<!\\)\*/g, '')
            .replaceAll('&lt;', '<')
            .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1'),
    )
    .join('');

/**
 * Escapes text of several lines so that Markdown shows the lines as they are. Fenced code becomes a
 * code block without a language.
 */
export function plainLines(text: string): string {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  const endBlock = (): void => {
    if (fence !== undefined) blocks.push(codeBlock(block.join('\n')));
    else if (block.length > 0) blocks.push(block.join('\\\n'));
    block = [];
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    const isEnd = fence !== undefined && mark?.startsWith(fence) === true && line.trim() === mark;
    if (isEnd || (fence === undefined && (mark !== undefined || line.trim() === ''))) {
      endBlock();
      fence = isEnd ? undefined : mark;
    } else block.push(fence === undefined ? plain(line, Infinity) : line);
  }
  endBlock();
  return blocks.join('\n\n');
}

/** Returns a code block. Its fence is longer than any sequence of backticks in the text. */
export function codeBlock(text: string, language = ''): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Returns inline code. Backticks in the text are shown as they are. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(showHidden(cleanText(text)), maxChars);
  if (flat === '') return '';
  if (!flat.includes('`')) return `\`${flat}\``;
  const fence = fenceFor(flat, 2);
  return `${fence} ${flat} ${fence}`;
}

/**
 * Returns the lines as inline code, which is wrapped where a code block is cut off at the edge. The
 * Markdown must not be shown with theme icons: `$(name)` would become one.
 */
export const codeLines = (text: string): string => text.split('\n').map(codeLine).join('\\\n');

function codeLine(line: string): string {
  if (line.trim() === '') return '` `';
  const fence = fenceFor(line, 1);
  return `${fence} ${line} ${fence}`;
}

/**
 * Returns at least `min` backticks, and more than the longest sequence of backticks in the text.
 */
const fenceFor = (text: string, min: number): string =>
  '`'.repeat(
    [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), min),
  );
