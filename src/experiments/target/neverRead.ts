/** Names the metrics of a target that no run printed. */
import { summaryFor, type Ledger } from '../ledger.ts';
import { countedRows, targetIn } from './judgeTarget.ts';
import type { Target } from './target.ts';

/**
 * Returns the metrics of the target of which no run has a value; empty until a run has ended that
 * can be evidence.
 */
export function neverRead(
  { conditions, objective }: Target,
  ledger: Pick<Ledger, 'experiments'>,
): readonly string[] {
  if (countedRows(ledger).length === 0) return [];
  const runs = ledger.experiments.flatMap((row) => row.runs);
  const metrics = new Set([objective, ...conditions].map(({ metric }) => metric));
  return [...metrics].filter((metric) =>
    runs.every((run) => summaryFor(run.metrics, metric) === undefined),
  );
}

/** Formats metrics, at least one: `latency_ms was never read`. */
export const neverReadText = (metrics: readonly string[]): string =>
  `${metrics.join(' and ')} ${metrics.length === 1 ? 'was' : 'were'} never read`;

/** Formats the target as `targetIn` does, and names its metrics that no run printed. */
export function targetStanding(target: Target, ledger: Pick<Ledger, 'experiments'>): string {
  const unread = neverRead(target, ledger);
  const text = targetIn(target, ledger);
  return unread.length === 0 ? text : `${text}; ${neverReadText(unread)}`;
}
