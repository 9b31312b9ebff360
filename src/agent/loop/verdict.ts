/**
 * Checks the evidence of a `finish` call. Accepts only values that the engine read from the output
 * of runs, never values that the model reports.
 */
import { ToolFailure } from '../../base/errors.ts';
import { formatValue } from '../../base/text.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { meetsTarget, targetText, type GoalTarget } from '../../experiments/target.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { FinishRequest } from '../../tools/session/finish.ts';
import type { Evidence } from '../journal/events.ts';
import type { RunState } from '../journal/state.ts';
import { runName } from '../../runs/run.ts';

/** Access to the session's runs. For an active run, `summaries` returns the current values. */
export interface EvidenceDeps {
  find(reference: string): RunState | undefined;
  summaries(run: RunState): readonly MetricSummary[];
  /** Returns the names of all runs for the error message: `run 1, run 2 …`. */
  names(): string;
}

/**
 * Returns the evidence with measured values. Throws a `ToolFailure` that names the claim without a
 * measured value, or the target that no value meets.
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
  const name = runName(run.spec.number);
  if (summary === undefined || summary.count === 0) {
    const metricNames = summaries.map(({ metric }) => metric).join(', ');
    throw new ToolFailure(
      `No value of ${claim.metric} was measured in ${name}. It measured: ${metricNames || 'nothing'}.`,
    );
  }
  const { metric, last, best, lastStep, count } = summary;
  return { runId: run.spec.id, run: name, metric, last, best, lastStep, count };
}

function checkTarget(evidence: readonly Evidence[], target: GoalTarget): void {
  const relevant = evidence.filter((one) => isSameMetric(one.metric, target.metric));
  if (relevant.length === 0) {
    throw new ToolFailure(
      `The goal says ${targetText(target)}: give evidence for ${target.metric}, which a run prints as ${target.metric}=<value>. If no run can reach it, call finish with outcome blocked and say in summary what was reached.`,
    );
  }
  if (relevant.some((one) => meetsTarget(one.best, target) || meetsTarget(one.last, target)))
    return;
  const values = relevant.map(
    (one) =>
      `${one.run} ${one.metric}: best ${formatValue(one.best)}, last ${formatValue(one.last)}`,
  );
  throw new ToolFailure(
    `The goal says ${targetText(target)}, and no run in the evidence reached it: ${values.join('; ')}. Continue with the work.`,
  );
}

function isSameMetric(a: string, b: string): boolean {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  return left === right || left.split('/').at(-1) === right || right.split('/').at(-1) === left;
}
