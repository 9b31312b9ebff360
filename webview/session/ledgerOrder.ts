/** Sorts the ledger by the column that the user selected. */
import type { LedgerLine, LedgerTable } from '../../src/protocol/sessionView.ts';
import type { LedgerColumn, LedgerSort } from './viewState.ts';

type Key = string | number | undefined;

const keys: Readonly<Record<LedgerColumn, (line: LedgerLine) => Key>> = {
  number: ({ number }) => number,
  what: ({ what }) => what,
  decision: ({ decision }) => decision,
  best: ({ bestValue }) => bestValue,
  runs: ({ runs }) => runs.length,
  cost: ({ usd }) => usd,
  code: ({ code }) => code,
  why: ({ why }) => why,
};

/**
 * Returns the sorted lines. Lines without a value come last in both directions; equal lines are
 * sorted by number.
 */
export function ordered(
  { lines, options }: Pick<LedgerTable, 'lines' | 'options'>,
  { column, isDescending }: LedgerSort,
): LedgerLine[] {
  const keyOf = isLedgerColumn(column)
    ? keys[column]
    : optionKey(options.indexOf(column.slice('option '.length)));
  const sign = isDescending ? -1 : 1;
  return lines.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (isAbsent(one) || isAbsent(other))
      return Number(isAbsent(one)) - Number(isAbsent(other)) || a.number - b.number;
    return sign * compare(one, other) || a.number - b.number;
  });
}

const isLedgerColumn = (column: LedgerSort['column']): column is LedgerColumn => column in keys;

/** Returns the key of an option: a number if its value is one, so that 1e-4 is less than 0.01. */
const optionKey =
  (index: number) =>
  ({ options }: LedgerLine): Key => {
    const value = options[index] ?? '';
    return value === '' || Number.isNaN(Number(value)) ? value : Number(value);
  };

const isAbsent = (key: Key): key is undefined => key === undefined || key === '';

const compare = (a: Exclude<Key, undefined>, b: Exclude<Key, undefined>): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
