/** Computes mean and spread of repeats from their runs. */
import { isSeedIdle } from './idleSeeds.ts';
import type { LedgerEntry } from './ledger.ts';
import { seedOf, seedValues, statisticsOver, type SeedValue, type Statistics } from './seeds.ts';

/** A run with its value of a metric. */
export interface MeasuredRow<Entry extends LedgerEntry = LedgerEntry> {
  readonly row: Entry;
  readonly value: number;
}

/** Returns the value of each seed: the mean of its runs. A run without a seed has its own value. */
export const valuesOfSeeds = (measured: readonly MeasuredRow[]): readonly number[] =>
  seedValues(measured.map(seedValue));

/**
 * Computes the statistics of repeats. Repeats whose seeds change nothing, and runs of one seed that
 * measured the same value, count as one.
 */
export function repeatStatistics(measured: readonly MeasuredRow[]): Statistics {
  const { mean, spread, n } = statisticsOver(measured.map(seedValue));
  const isOne = isSameSeed(measured) ? spread === 0 : isSeedIdle(measured.map(({ row }) => row));
  return { mean, ...(isOne ? { n: 1 } : { n, ...(spread !== undefined && { spread }) }) };
}

function isSameSeed([first, ...others]: readonly MeasuredRow[]): boolean {
  const seed = first && seedOf(first.row);
  return seed !== undefined && others.every(({ row }) => seedOf(row) === seed);
}

const seedValue = ({ row, value }: MeasuredRow): SeedValue => ({ seed: seedOf(row), value });
