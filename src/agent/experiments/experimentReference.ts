import { ToolFailure } from '../../base/errors.ts';
import type { ExperimentRow, Ledger } from '../../experiments/ledger.ts';

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
