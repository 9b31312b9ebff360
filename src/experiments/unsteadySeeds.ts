/** Finds seeds that do not fix the result: their runs measured different values. */
import type { RunId } from '../base/ids.ts';
import { formatValue } from '../base/text.ts';
import { runNames } from '../runs/run.ts';
import type { Ledger } from './ledger.ts';
import { measuredRows, resultGroups } from './ledgerExperiments.ts';
import { seedOf } from './seeds.ts';

/**
 * Returns a sentence for each such seed: `Seed 0 measured val_loss 0.31, 0.35 in runs 1, 4: it does
 * not fix the result.` With `among`, only for seeds of these runs.
 */
export function unsteadySeedTexts(
  { experiments, decisive }: Pick<Ledger, 'experiments' | 'decisive'>,
  among?: ReadonlySet<RunId>,
): string[] {
  if (decisive === undefined) return [];
  return resultGroups(experiments, decisive)
    .flatMap((group) => [...Map.groupBy(measuredRows(group, decisive), ({ row }) => seedOf(row))])
    .filter(
      ([seed, runs]) =>
        seed !== undefined &&
        new Set(runs.map(({ value }) => value)).size > 1 &&
        (among === undefined || runs.some(({ row }) => among.has(row.runId))),
    )
    .map(([seed, runs]) => {
      const names = runNames(runs.map(({ row }) => row.number));
      const values = runs.map(({ value }) => formatValue(value)).join(', ');
      return `Seed ${seed} measured ${decisive.metric} ${values} in ${names}: it does not fix the result.`;
    });
}
