/** Compares reproductions of an experiment with the runs that they repeat. */
import { formatValue } from '../base/text.ts';
import { runName } from '../runs/run.ts';
import { commandForm } from './commandForm.ts';
import { rowStatus, type Decisive, type ExperimentRow, type LedgerRow } from './ledger.ts';
import { measuredValue } from './ledgerExperiments.ts';
import { seedOf } from './seeds.ts';

/**
 * Returns the only one of `runs` that ran the command, with its seed; `undefined` if none or
 * several did.
 */
export function repeatedRun(command: string, runs: readonly LedgerRow[]): LedgerRow | undefined {
  const { exact } = commandForm(command);
  const [run, ...others] = runs.filter((one) => commandForm(one.command).exact === exact);
  return others.length === 0 ? run : undefined;
}

/**
 * Returns a text for each reproduction of the experiment: `reproduced by run 47: 0.9889, run 38
 * measured 0.9889`; with another value, `run again as run 47: 0.99, run 38 measured 0.9889, Δ +0.0011`.
 */
export const reproductionTexts = (
  experiment: ExperimentRow,
  decisive: Decisive | undefined,
): readonly string[] =>
  (experiment.reproductions ?? []).map((row) => {
    const name = runName(row.number);
    const value = decisive && measuredValue(row, decisive);
    if (decisive === undefined || value === undefined || row.verdict === undefined)
      return `run again as ${name}: ${row.verdict?.kind === 'ok' ? 'no value' : rowStatus(row)}`;
    const before = earlierValue(row, experiment, decisive);
    const difference = differenceText(value, before?.value);
    const outcome = difference === '' ? 'reproduced by' : 'run again as';
    return `${outcome} ${name}${seedText(row, experiment.result?.runs ?? [])}: ${formatValue(value)}${before?.text ?? ''}${difference}`;
  });

/** Returns the value of the run that was repeated or, without such a run, the mean, and its text. */
function earlierValue(
  { command }: LedgerRow,
  { runs, result }: Pick<ExperimentRow, 'runs' | 'result'>,
  decisive: Decisive,
): { readonly value: number; readonly text: string } | undefined {
  const run = repeatedRun(command, runs);
  const value = run && measuredValue(run, decisive);
  if (run !== undefined && value !== undefined)
    return { value, text: `, ${runName(run.number)} measured ${formatValue(value)}` };
  return result && { value: result.mean, text: `, ${formatValue(result.mean)} before` };
}

/** Returns how the new value differs from the earlier one: `, Δ +0.02`; empty if it does not. */
function differenceText(value: number, before = value): string {
  const delta = value - before;
  return delta === 0 ? '' : `, Δ ${delta > 0 ? '+' : ''}${formatValue(delta)}`;
}

/** Returns which of the seeds of a result ran again: ` (seed 0, 1 of 3)`; empty if there is only one. */
function seedText(row: LedgerRow, runs: readonly LedgerRow[]): string {
  const seeds = new Set(runs.map(seedOf));
  const seed = seedOf(row);
  return seed === undefined || seeds.size < 2 ? '' : ` (seed ${seed}, 1 of ${seeds.size})`;
}
