/** Text that came from a process, a file or a model, made safe for Markdown. */
import { cleanText, oneLine } from './text.ts';

/** Plain Markdown text on one line: nothing in it is a link, an icon or a table cell. */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(cleanText(text), maxChars).replace(
    /[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g,
    (mark) => `\\${mark}`,
  );

/** A code block whose fence is longer than any in it. */
export function codeBlock(text: string, language = ''): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Inline code; back-ticks in it are kept. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(cleanText(text), maxChars);
  if (flat === '') return '';
  if (!flat.includes('`')) return `\`${flat}\``;
  const fence = fenceFor(flat, 2);
  return `${fence} ${flat} ${fence}`;
}

/** At least `least` back-ticks, and more than stand anywhere in the text. */
const fenceFor = (text: string, min: number): string =>
  '`'.repeat(
    [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), min),
  );
