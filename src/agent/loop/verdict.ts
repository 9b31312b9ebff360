/** Checks the evidence of a `finish` call: only values that the engine read from runs count. */
import { ToolFailure } from '../../base/errors.ts';
import { formatValue } from '../../base/text.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { meetsTarget, targetText, type GoalTarget } from '../../experiments/target.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { FinishRequest } from '../../tools/session/finish.ts';
import type { Evidence } from '../journal/events.ts';
import type { RunState } from '../journal/state.ts';

/** Access to the session's runs; active runs have their current values. */
export interface EvidenceDeps {
  find(reference: string): RunState | undefined;
  summaries(run: RunState): readonly MetricSummary[];
  /** Returns the names of all runs for the error message: `run 1, run 2 …`. */
  names(): string;
}

/**
 * Returns the evidence with measured values. Throws a `ToolFailure` that names the claim that is
 * not true.
 */
export function judgeEvidence(
  request: FinishRequest,
  target: GoalTarget | undefined,
  source: EvidenceDeps,
): Evidence[] {
  const evidence = request.evidence.map((claim) => measured(claim, source));
  if (request.outcome === 'blocked') return evidence;
  if (evidence.length === 0) {
    throw new ToolFailure(
      `goal_met needs evidence: [{ run, metric }] naming measured values that show it. Runs so far: ${source.names() || 'none'}.`,
    );
  }
  if (target !== undefined) checkTarget(evidence, target);
  return evidence;
}

function measured(claim: { run: string; metric: string }, source: EvidenceDeps): Evidence {
  const run = source.find(claim.run);
  if (run === undefined) {
    throw new ToolFailure(
      `There is no run ${claim.run} in this session. Runs so far: ${source.names() || 'none'}.`,
    );
  }
  const summaries = source.summaries(run);
  const summary = summaryFor(summaries, claim.metric);
  const name = `run ${run.spec.number}`;
  if (summary === undefined || summary.count === 0) {
    const known = summaries.map(({ metric }) => metric).join(', ');
    throw new ToolFailure(
      `No value of ${claim.metric} was measured in ${name}. It measured: ${known || 'nothing'}.`,
    );
  }
  const { metric, last, best, lastStep, count } = summary;
  return { runId: run.spec.id, run: name, metric, last, best, lastStep, count };
}

function checkTarget(evidence: readonly Evidence[], target: GoalTarget): void {
  const wanted = evidence.filter((one) => isSameMetric(one.metric, target.metric));
  if (wanted.length === 0) {
    throw new ToolFailure(
      `The goal says ${targetText(target)}: give evidence for ${target.metric}, which a run prints as ${target.metric}=<value>. When no run can, call finish with outcome blocked and say in summary what was reached.`,
    );
  }
  if (wanted.some((one) => meetsTarget(one.best, target) || meetsTarget(one.last, target))) return;
  const values = wanted.map(
    (one) =>
      `${one.run} ${one.metric}: best ${formatValue(one.best)}, last ${formatValue(one.last)}`,
  );
  throw new ToolFailure(
    `The goal says ${targetText(target)}, which was not measured: ${values.join('; ')}. Continue.`,
  );
}

function isSameMetric(a: string, b: string): boolean {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  return left === right || left.split('/').at(-1) === right || right.split('/').at(-1) === left;
}
