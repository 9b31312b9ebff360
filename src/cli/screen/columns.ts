import { cutToWidth, padToWidth, textWidth } from './textWidth.ts';

/** Minimum width of the last column. With less room, the last cell goes below the others. */
const minLast = 24;
const indent = '   ';

/**
 * Formats rows as columns. No line is wider than `columns`: the last cell is shortened or gets its
 * own line.
 */
export function columnsText(
  header: readonly string[],
  body: readonly (readonly string[])[],
  columns: number,
): string {
  const rows = [header, ...body];
  // Drops empty columns.
  const kept = header
    .map((_, index) => index)
    .filter((index) => body.some((row) => row[index] !== ''));
  const width = (index: number): number =>
    Math.max(...rows.map((row) => textWidth(row[index] ?? '')));
  const widths = new Map(kept.map((index) => [index, width(index)]));
  const [last = 0] = kept.slice(-1);
  const left = kept
    .slice(0, -1)
    .reduce((rest, index) => rest - (widths.get(index) ?? 0) - 2, columns);
  const isBelow = left < Math.min(minLast, widths.get(last) ?? 0);
  const beside = (row: readonly string[]): string =>
    cutToWidth(
      (isBelow ? kept.slice(0, -1) : kept)
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
