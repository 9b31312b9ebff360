/** Rows as columns of a terminal: a line for each, no longer than `columns`; the last cell gives way. */
export function columnsText(header: readonly string[], body: readonly (readonly string[])[], columns: number): string {
  const rows = [header, ...body];
  // A column that nobody fills is left out.
  const kept = header.map((_, index) => index).filter((index) => body.some((row) => row[index] !== ''));
  const width = (index: number): number => Math.max(...rows.map((row) => row[index]?.length ?? 0));
  const widths = new Map(kept.map((index) => [index, width(index)]));
  const line = (row: readonly string[]): string =>
    kept
      .map((index) => (row[index] ?? '').padEnd(widths.get(index) ?? 0))
      .join('  ')
      .slice(0, columns)
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}
