import { ToolFailure } from '../../base/errors.ts';
import { statusCounts, type ExperimentRow, type Ledger } from '../../experiments/ledger.ts';
import { resultOf } from '../../experiments/ledgerExperiments.ts';
import { repeatsOf, settingGroups } from '../../experiments/repeats.ts';
import type { RunsReference } from '../../tools/runs/measuredRuns.ts';

/**
 * Finds an experiment by id, `experiment 7` or `7`. If there is none, throws `ToolFailure` with the
 * names of the existing experiments.
 */
export function experimentNamed({ experiments }: Ledger, reference: string): ExperimentRow {
  const number = /^(?:experiment\s*)?#?e?(\d+)$/i.exec(reference.trim())?.[1];
  const row = experiments.find(({ plan }) => plan !== undefined && String(plan.number) === number);
  if (row !== undefined) return row;
  const knownIds = experiments.flatMap(({ plan }) => plan?.id ?? []).slice(-20);
  throw new ToolFailure(
    `There is no experiment ${reference}. Experiments: ${knownIds.join(', ') || 'none yet'}.`,
  );
}

/**
 * Returns the part of an experiment that has the settings of `runs`, with all their repeats, in the
 * form of an experiment. Throws `ToolFailure`, which lists the runs of the experiment, if a run is
 * not one of them.
 */
export function settingOf(
  row: ExperimentRow,
  runs: RunsReference,
  { decisive, experiments }: Ledger,
): ExperimentRow {
  const wanted = (typeof runs === 'object' ? runs : [runs]).map((one) => numberOf(row, one));
  const setting = repeatsOf(row.runs)
    .filter((repeats) => repeats.some(({ number }) => wanted.includes(number)))
    .flat();
  const { result: _, ...rest } = row;
  const result = decisive && resultOf(setting, decisive, settingGroups(experiments));
  return {
    ...rest,
    runs: setting,
    verdicts: statusCounts(setting).join(', '),
    ...(result && { result }),
  };
}

function numberOf({ id, runs }: ExperimentRow, reference: string | number): number {
  const number = Number(/^(?:run[\s_-]*|#)?(\d+)$/i.exec(String(reference).trim())?.[1]);
  if (runs.some((run) => run.number === number)) return number;
  const known = runs.map((run) => run.number).slice(-20);
  throw new ToolFailure(`${id} has no run ${reference}. Runs: ${known.join(', ') || 'none yet'}.`);
}
