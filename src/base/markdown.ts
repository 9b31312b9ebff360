/** Escapes text of a process, a file or a model for Markdown. */
import { cleanText, oneLine } from './text.ts';

/** Returns plain Markdown text on one line, without links, icons or table cells. */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(cleanText(text), maxChars).replace(
    /[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g,
    (mark) => `\\${mark}`,
  );

/** Returns a code block whose fence is longer than any in the text. */
export function codeBlock(text: string, language = ''): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Returns inline code; backticks in the text are kept. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(cleanText(text), maxChars);
  if (flat === '') return '';
  if (!flat.includes('`')) return `\`${flat}\``;
  const fence = fenceFor(flat, 2);
  return `${fence} ${flat} ${fence}`;
}

/** Returns at least `min` backticks, and more than occur in a row in the text. */
const fenceFor = (text: string, min: number): string =>
  '`'.repeat(
    [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), min),
  );
