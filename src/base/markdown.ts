/** Escapes text of a process, a file or a model for use in Markdown. */
import { cleanText, oneLine } from './text.ts';

/**
 * Escapes text so that Markdown shows it unchanged on one line: no links, icons, formatting or
 * table cells.
 */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(cleanText(text), maxChars).replace(
    /[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g,
    (mark) => `\\${mark}`,
  );

/** Returns a code block. Its fence is longer than any sequence of backticks in the text. */
export function codeBlock(text: string, language = ''): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Returns inline code. Backticks in the text are shown as they are. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(cleanText(text), maxChars);
  if (flat === '') return '';
  if (!flat.includes('`')) return `\`${flat}\``;
  const fence = fenceFor(flat, 2);
  return `${fence} ${flat} ${fence}`;
}

/**
 * Returns at least `min` backticks, and more than the longest sequence of backticks in the text.
 */
const fenceFor = (text: string, min: number): string =>
  '`'.repeat(
    [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), min),
  );
