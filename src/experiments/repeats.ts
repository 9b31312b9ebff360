/** Groups runs: by experiment, and by setting. */
import type { RunId } from '../base/ids.ts';
import { runName } from '../runs/run.ts';
import { codeKey, placeOf } from './duplicates.ts';
import type { ExperimentRow, LedgerEntry, LedgerRow } from './ledger.ts';
import { seedOf, settingForm } from './seeds.ts';

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
  runs.length < 2 ? [runs] : [...Map.groupBy(runs, (run) => settingForm(run).near).values()];

type Family = Pick<ExperimentRow, 'id' | 'plan' | 'runs'>;

/**
 * Groups the runs of all experiments by setting: same code, same folder, and commands that repeat
 * each other. The experiment that a run belongs to does not matter.
 */
export function settingGroups(experiments: readonly Family[]): readonly (readonly LedgerRow[])[] {
  const byId = new Map(experiments.map((row) => [row.id, row]));
  const all = experiments.flatMap((row) => {
    const family = familyOf(row, byId);
    return row.runs.map((run) => ({ run, key: `${family}\n${settingKey(run, row)}` }));
  });
  return [...Map.groupBy(all, ({ key }) => key).values()].map((group) =>
    group.map(({ run }) => run).toSorted((a, b) => a.number - b.number),
  );
}

/** The setting and the seed, which runs that repeat each other exactly share. */
export interface Repeat {
  /** Index of the setting. */
  readonly setting: number;
  readonly seed: string;
}

/** Returns the setting and the seed of each run that has a seed. */
export const repeatsByRun = (experiments: readonly Family[]): ReadonlyMap<RunId, Repeat> =>
  new Map(
    settingGroups(experiments).flatMap((runs, setting) =>
      runs.flatMap((run): [RunId, Repeat][] => {
        const seed = seedOf(run);
        return seed === undefined ? [] : [[run.runId, { setting, seed }]];
      }),
    ),
  );

/** Returns a name that is equal for experiments with the same code, and for retests. */
function familyOf(row: Family, byId: ReadonlyMap<string, Family>): string {
  let root = row;
  for (let left = byId.size; left > 0; left -= 1) {
    const earlier = byId.get(root.plan?.retest?.of ?? '');
    if (earlier === undefined) break;
    root = earlier;
  }
  return (root.plan && codeKey(root.plan)) ?? root.plan?.retest?.of ?? root.id;
}

function settingKey(run: LedgerRow, { plan }: Family): string {
  const { near } = settingForm(run);
  return plan === undefined ? near : `${placeOf({ ...plan, command: run.command })}\n${near}`;
}
