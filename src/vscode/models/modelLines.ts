/** Models as a list for the chat, which is too narrow for a table. */
import { plain } from '../../base/markdown.ts';

/** Returns a line per row of `modelRows`. */
export const modelLines = (rows: readonly (readonly string[])[]): string =>
  `${rows.map(line).join('')}\n`;

function line([
  provider = '',
  model = '',
  context = '',
  output = '',
  price = '',
  notes = '',
]: readonly string[]): string {
  const cost = price === '?' ? 'price unknown' : price;
  const words = [`${context} context`, `${output} output`, cost, notes].filter(
    (word) => word !== '',
  );
  return `- **${plain(`${provider}/${model}`, 120)}** ${plain(words.join(' · '), 300)}\n`;
}
