/** The seeds of runs, and the mean over seeds. */
import { runName } from '../runs/run.ts';
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

/** Returns the value of each seed: the mean of its runs. A run without a seed has its own value. */
export const seedValues = (
  measured: readonly {
    readonly row: Launched & { readonly number: number };
    readonly value: number;
  }[],
): readonly number[] =>
  [...Map.groupBy(measured, ({ row }) => seedOf(row) ?? runName(row.number)).values()].map((runs) =>
    mean(runs.map(({ value }) => value)),
  );

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
