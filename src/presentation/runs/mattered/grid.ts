/** The means of a sweep over two parameters. */
import type { MatteredGrid } from '../../../protocol/mattered.ts';
import type { MeasuredRun } from './measured.ts';
import { valueText } from './words.ts';

/** Number of values of a parameter up to which a grid is readable. */
const maxValues = 24;

export interface GridParameter {
  readonly name: string;
  /** Texts of its values, in order. */
  readonly levels: readonly string[];
}

/**
 * Returns the mean over the runs of each combination; `undefined` unless there are two parameters with
 * few values, and some combination of which only one differs.
 */
export function gridOf(
  runs: readonly MeasuredRun[],
  parameters: readonly GridParameter[],
  direction: 'lower' | 'higher',
): MatteredGrid | undefined {
  const [row, column] = parameters;
  if (row === undefined || column === undefined || parameters.length > 2) return undefined;
  const [rows, columns] = [row.levels, column.levels];
  const isLarge = rows.length > maxValues || columns.length > maxValues;
  if (isLarge || (rows.length === runs.length && columns.length === runs.length)) return undefined;
  const cells = Map.groupBy(runs, ({ parameters: of }) =>
    keyOf(of[row.name] ?? '', of[column.name] ?? ''),
  );
  const means = new Map(
    [...cells].map(([key, of]) => [key, of.reduce((sum, { value }) => sum + value, 0) / of.length]),
  );
  const [low, high] = [Math.min(...means.values()), Math.max(...means.values())];
  const cellOf = (key: string): MatteredGrid['rows'][number]['cells'][number] => {
    const mean = means.get(key);
    if (mean === undefined) return null;
    const share = high === low ? 0.5 : (mean - low) / (high - low);
    const rank = direction === 'lower' ? 1 - share : share;
    return { text: valueText(mean), runs: cells.get(key)?.length ?? 0, rank };
  };
  return {
    rowName: row.name,
    columnName: column.name,
    columns: columns.map(levelText),
    rows: rows.map((text) => ({
      text: levelText(text),
      cells: columns.map((other) => cellOf(keyOf(text, other))),
    })),
  };
}

const keyOf = (row: string, column: string): string => `${row}\n${column}`;

const levelText = (level: string): string => (level === '' ? 'not set' : level);
