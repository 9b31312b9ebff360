/** Groups runs: by experiment, and by setting. */
import { runName } from '../runs/run.ts';
import { commandForm } from './commandForm.ts';
import type { LedgerEntry } from './ledger.ts';

/** Returns the id of a run's experiment or, for a run without an experiment, of its row. */
const experimentOf = ({ experimentId, sweepId, number }: LedgerEntry): string =>
  experimentId ?? sweepId ?? runName(number);

/** Groups runs by experiment, in the order in which the experiments started. */
export const runsByExperiment = <Entry extends LedgerEntry>(
  rows: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> => Map.groupBy(rows, experimentOf);

/**
 * Groups repeats: runs whose commands differ only in options for seed, verbosity, workers, logging
 * or device.
 */
export const repeatsOf = <Entry extends LedgerEntry>(
  runs: readonly Entry[],
): readonly (readonly Entry[])[] =>
  runs.length < 2
    ? [runs]
    : [...Map.groupBy(runs, ({ command }) => commandForm(command).near).values()];
