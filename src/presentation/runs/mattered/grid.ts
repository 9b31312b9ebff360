/** The means of a sweep over two parameters. */
import type { MatteredCell, MatteredGrid } from '../../../protocol/mattered.ts';
import type { MeasuredRun } from './measured.ts';
import { meanOf, valueText } from './words.ts';

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
  if (!isReadable(row.levels.length, column.levels.length, runs.length)) return undefined;
  const cellOf = cellsOf(runs, row.name, column.name, direction);
  return {
    rowName: row.name,
    columnName: column.name,
    columns: column.levels.map(levelText),
    rows: row.levels.map((text) => ({
      text: levelText(text),
      cells: column.levels.map((other) => cellOf(text, other)),
    })),
  };
}

/** Whether the values are few, and not different for each run. */
const isReadable = (rows: number, columns: number, runs: number): boolean =>
  Math.max(rows, columns) <= maxValues && Math.min(rows, columns) < runs;

/** Returns the cell of each combination of levels. */
function cellsOf(
  runs: readonly MeasuredRun[],
  rowName: string,
  columnName: string,
  direction: 'lower' | 'higher',
): (row: string, column: string) => MatteredCell | null {
  const cells = Map.groupBy(runs, ({ parameters }) =>
    keyOf(parameters[rowName] ?? '', parameters[columnName] ?? ''),
  );
  const means = new Map([...cells].map(([key, of]) => [key, meanOf(of)]));
  const [low, high] = [Math.min(...means.values()), Math.max(...means.values())];
  return (row, column) => {
    const mean = means.get(keyOf(row, column));
    if (mean === undefined) return null;
    const share = high === low ? 0.5 : (mean - low) / (high - low);
    return {
      text: valueText(mean),
      runs: cells.get(keyOf(row, column))?.length ?? 0,
      rank: direction === 'lower' ? 1 - share : share,
    };
  };
}

const keyOf = (row: string, column: string): string => `${row}\n${column}`;

const levelText = (level: string): string => (level === '' ? 'not set' : level);
