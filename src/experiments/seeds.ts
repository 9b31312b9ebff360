/** The seeds of runs, and statistics over seeds. */
import { commandForm, type CommandForm } from './commandForm.ts';

interface Launched {
  readonly command: string;
  readonly seed?: string;
  readonly setting?: string;
}

/** Returns the seed of a run: that of its launch, otherwise that of its command. */
export const seedOf = ({ seed, command }: Launched): string | undefined =>
  seed ?? commandForm(command).seed;

/** Returns the form of a run's command, with a placeholder for a seed that is not an option. */
export const settingForm = ({ setting, command }: Launched): CommandForm =>
  commandForm(setting ?? command);

/** A value of a run, and its seed. */
export interface SeedValue {
  /** Omitted for a run without a seed, which counts as a seed of its own. */
  readonly seed?: string | undefined;
  readonly value: number;
}

/** Mean and spread of repeats. */
export interface Statistics {
  readonly mean: number;
  /** Standard deviation (with n − 1); omitted if `n` is 1. */
  readonly spread?: number;
  /** Number of values that `mean` and `spread` are computed of. */
  readonly n: number;
}

/** Returns the value of each seed: the mean of its runs. */
export const seedValues = (measured: readonly SeedValue[]): readonly number[] =>
  [...Map.groupBy(measured, (one) => one.seed ?? one).values()].map((runs) =>
    mean(runs.map(({ value }) => value)),
  );

/** Computes the statistics over the seeds or, if all runs have the same seed, over the runs. */
export function statisticsOver(measured: readonly SeedValue[]): Statistics {
  const ofSeeds = seedValues(measured);
  const values = ofSeeds.length === 1 ? measured.map(({ value }) => value) : ofSeeds;
  const center = mean(values);
  const n = values.length;
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return { mean: center, n, ...(n > 1 && { spread: Math.sqrt(squares / (n - 1)) }) };
}

/** Returns the mean, which does not depend on the order of the values. */
export const mean = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0) / values.length;
