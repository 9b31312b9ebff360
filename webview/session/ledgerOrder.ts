/** Sorts the ledger by the column that the user selected. */
import type { LedgerLine } from '../../src/protocol/sessionView.ts';
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
  lines: readonly LedgerLine[],
  { column, isDescending }: LedgerSort,
): LedgerLine[] {
  const keyOf = keys[column];
  const sign = isDescending ? -1 : 1;
  return lines.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (isAbsent(one) || isAbsent(other))
      return Number(isAbsent(one)) - Number(isAbsent(other)) || a.number - b.number;
    return sign * compare(one, other) || a.number - b.number;
  });
}

const isAbsent = (key: Key): key is undefined => key === undefined || key === '';

const compare = (a: Exclude<Key, undefined>, b: Exclude<Key, undefined>): number =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
