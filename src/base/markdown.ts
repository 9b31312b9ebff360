/** Text that came from a process, a file or a model, made safe for Markdown. */
import { cleanText, oneLine } from './text.ts';

/** Plain Markdown text on one line: nothing in it is a link, an icon or a table cell. */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(cleanText(text), maxChars).replace(/[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g, (mark) => `\\${mark}`);

/** A code block whose fence is longer than any in it. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Inline code; back-ticks in it are kept. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(cleanText(text), maxChars);
  if (flat === '') return '';
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
}
