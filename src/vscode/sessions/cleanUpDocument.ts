/** The table of the sessions to remove, as a Markdown document. */
import { plain } from '../../base/markdown.ts';
import { planHeader } from '../../presentation/archive/retentionText.ts';

/** Returns the table as Markdown. `rows`: cells as returned by `planRows`. */
export function cleanUpDocument(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [
    line(planHeader),
    line(planHeader.map(() => '---')),
    ...rows.map((row) => line(row.map((cell) => plain(cell)))),
  ];
  return `# Clean Up\n\n${table.join('\n')}\n`;
}
