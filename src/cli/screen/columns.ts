import { lineForTerminal } from './terminalText.ts';
import { cutToWidth, padToWidth, textWidth } from './textWidth.ts';

/**
 * Minimum width of the last column, in characters. If less is left, the last cell of each row goes
 * below the others.
 */
const minLast = 24;
const indent = '   ';

/**
 * Formats rows as columns. No line is wider than `columns` characters: the last cell is shortened
 * or gets its own line. Line breaks in a cell become spaces.
 */
export function columnsText(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  columns: number,
): string {
  const body = cells.map((row) => row.map(lineForTerminal));
  const rows = [header, ...body];
  // Drops empty columns.
  const filledColumns = header
    .map((_, index) => index)
    .filter((index) => body.some((row) => row[index] !== ''));
  const width = (index: number): number =>
    Math.max(...rows.map((row) => textWidth(row[index] ?? '')));
  const widths = new Map(filledColumns.map((index) => [index, width(index)]));
  const [last = 0] = filledColumns.slice(-1);
  const lastWidth = filledColumns
    .slice(0, -1)
    .reduce((rest, index) => rest - (widths.get(index) ?? 0) - 2, columns);
  const isBelow = lastWidth < Math.min(minLast, widths.get(last) ?? 0);
  const beside = (row: readonly string[]): string =>
    cutToWidth(
      (isBelow ? filledColumns.slice(0, -1) : filledColumns)
        .map((index) => padToWidth(row[index] ?? '', widths.get(index) ?? 0))
        .join('  '),
      columns,
    ).trimEnd();
  const lines = (row: readonly string[]): string[] =>
    isBelow && row[last] !== ''
      ? [beside(row), cutToWidth(`${indent}${row[last] ?? ''}`, columns)]
      : [beside(row)];
  return `${rows.flatMap(lines).join('\n')}\n`;
}
