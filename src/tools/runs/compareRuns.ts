import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import {
  compareRuns as compare,
  type Judgement,
  type MetricComparison,
} from '../../metrics/compare.ts';
import { noiseOf } from '../../metrics/noise.ts';
import { findMetric } from '../../metrics/metricName.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import {
  jsonStep,
  jsonValue,
  requireRuns,
  runHead,
  taskId,
  type MeasuredRun,
  type MeasuredRuns,
  taskText,
} from './measuredRuns.ts';
import { betterDirection, bestIn } from './betterDirection.ts';
import {
  distinctMetrics,
  groupJson,
  groupText,
  groupValues,
  groupVerdict,
  type GroupValues,
} from './groupValues.ts';
import { defineTool, type Tool, type ToolResult } from '../tool.ts';

const parameters = z.strictObject({
  task_a: taskId('The baseline.'),
  task_b: taskId('').describe('Compared with it.'),
  metric_names: z.array(z.string()).optional().describe('Default: all.'),
});

/** The values that the verdicts compare. */
const runValues = 'last values';
const groupMeans = 'means of last values';

export function compareRuns(runs: MeasuredRuns): Tool {
  return defineTool({
    name: 'compare_runs',
    description:
      'Compare two runs by last, best, and largest common step, or two groups by mean and deviation of their last values. Under 4 repeats show only large gains.',
    effect: 'read',
    countedAs: 'result',
    parameters,
    aliases: {
      baseline: 'task_a',
      experiment: 'task_b',
      run_a: 'task_a',
      run_b: 'task_b',
      metrics: 'metric_names',
    },
    describe: ({ task_a: a, task_b: b }) => `Compared ${taskText(a)} with ${taskText(b)}`,
    execute: async ({ task_a: a, task_b: b, metric_names: names }) => {
      const sides = [await requireRuns(runs, a), await requireRuns(runs, b)] as const;
      const [[baseline], [experiment]] = sides;
      if (sides.some(({ length }) => length > 1)) return compareGroups(sides, names, runs);
      if (baseline === undefined || experiment === undefined) throw noMetrics([]);
      const empty = [baseline, experiment].filter((run) => run.metrics.names().length === 0);
      if (empty.length > 0) throw noMetrics(empty);
      const all = await compare(baseline.metrics, experiment.metrics, (summary) => {
        const better = betterDirection(summary, experiment, runs.objectives());
        return { direction: better.direction, best: bestIn(summary, better) ?? summary.best };
      });
      const shown = names === undefined || names.length === 0 ? all : only(all, names);
      const comparisons = shown.map((one) => withNoise(one, [baseline, experiment], runs));
      const verdicts = verdictText(comparisons);
      return {
        content: {
          baseline: runHead(baseline),
          experiment: runHead(experiment),
          verdicts_by: runValues,
          verdicts,
          comparisons: comparisons.map(comparisonJson),
        },
        summary: `${experiment.name} against ${baseline.name} by ${runValues}: ${verdicts}`,
      };
    },
  });
}

/** Compares the means of the last values of two groups. */
function compareGroups(
  [before, after]: readonly [readonly MeasuredRun[], readonly MeasuredRun[]],
  names: readonly string[] | undefined,
  runs: MeasuredRuns,
): ToolResult {
  const measured = distinctMetrics([...before, ...after]);
  const wanted = names === undefined || names.length === 0 ? measured : names;
  const comparisons = wanted.flatMap((metric) => {
    const [first, experiment] = [before, after].map((group) => judgedValues(group, metric, runs));
    const baseline = first && experiment && { ...first, direction: experiment.direction };
    if (baseline === undefined || experiment === undefined) return [];
    const verdict = groupVerdict(baseline, experiment);
    return [{ metric: baseline.metric, baseline, experiment, verdict }];
  });
  if (comparisons.length === 0)
    throw new ToolFailure(
      `No metric ${wanted.join(', ')} was read on both sides. Metrics: ${measured.join(', ') || 'none'}.`,
    );
  const texts = comparisons.map(
    ({ metric, baseline, experiment, verdict }) =>
      `${metric} ${groupText(experiment)} against ${groupText(baseline)}: ${verdict}`,
  );
  return {
    content: {
      verdicts_by: groupMeans,
      verdicts: texts,
      comparisons: comparisons.map(({ metric, baseline, experiment, verdict }) => ({
        metric,
        better: baseline.direction,
        baseline: groupJson(baseline),
        experiment: groupJson(experiment),
        delta: jsonValue(experiment.mean - baseline.mean),
        verdict,
      })),
    },
    summary: `by ${groupMeans}: ${texts.join('; ')}`,
  };
}

/** Returns the values of a group, with the direction that the target or the launch says. */
function judgedValues(
  group: readonly MeasuredRun[],
  metric: string,
  runs: MeasuredRuns,
): GroupValues | undefined {
  const values = groupValues(group, metric, runs.repeats());
  const [run] = group;
  if (values === undefined || run === undefined) return values;
  return { ...values, direction: betterDirection(values, run, runs.objectives()).direction };
}

/**
 * Returns the comparison of two runs, where a difference that repeats of their settings do not
 * exceed is neither better nor worse.
 */
function withNoise(
  comparison: MetricComparison,
  sides: readonly [MeasuredRun, MeasuredRun],
  runs: MeasuredRuns,
): MetricComparison {
  const { atEnd, atBest, metric } = comparison;
  if (atEnd === undefined) return comparison;
  const [before, after] = sides.map((run) =>
    groupValues(repeatsOf(run, runs), metric, runs.repeats()),
  );
  if (before === undefined || after === undefined) return comparison;
  const noise = noiseOf(before, after);
  const isAsMeans = Math.sign(after.mean - before.mean) === Math.sign(atEnd.delta);
  if (noise === 'unknown' || (noise === 'beyond' && isAsMeans)) return comparison;
  return { ...comparison, atEnd: doubted(atEnd), atBest: atBest && doubted(atBest) };
}

const doubted = (judgement: Judgement): Judgement =>
  judgement.verdict === 'better' || judgement.verdict === 'worse'
    ? { ...judgement, verdict: 'within the noise' }
    : judgement;

/** Returns the runs of this session with the setting of the run; the run alone if it has no seed. */
function repeatsOf(run: MeasuredRun, runs: MeasuredRuns): readonly MeasuredRun[] {
  const repeats = runs.repeats();
  const setting = repeats.get(run.id)?.setting;
  return setting === undefined
    ? [run]
    : runs.all().filter(({ id }) => repeats.get(id)?.setting === setting);
}

function only(
  all: readonly MetricComparison[],
  names: readonly string[],
): readonly MetricComparison[] {
  const printed = all.map(({ metric }) => metric);
  const requestedNames = new Set(names.map((name) => findMetric(name.trim(), printed)));
  const found = all.filter(({ metric }) => requestedNames.has(metric));
  if (found.length > 0) return found;
  throw new ToolFailure(
    `Neither run has a metric ${names.join(', ')}. Metrics: ${all.map(({ metric }) => metric).join(', ')}.`,
  );
}

const noMetrics = (empty: readonly MeasuredRun[]): ToolFailure =>
  new ToolFailure(
    `No metrics were read from ${empty.map((run) => `${run.name} (${run.status})`).join(' and ')}. ` +
      'Check the output with task_output, and launch again with metric_names or metric_patterns that match it.',
  );

/** Returns the metrics grouped by verdict, for example `better: loss; worse: acc`. */
function verdictText(comparisons: readonly MetricComparison[]): string {
  const verdictOf = ({ atEnd }: MetricComparison) => atEnd?.verdict ?? 'n/a';
  return (['better', 'worse', 'within the noise', 'same', 'n/a'] as const)
    .map((verdict) => ({
      verdict,
      metrics: comparisons.filter((comparison) => verdictOf(comparison) === verdict),
    }))
    .filter(({ metrics }) => metrics.length > 0)
    .map(({ verdict, metrics }) => `${verdict}: ${metrics.map(({ metric }) => metric).join(', ')}`)
    .join('; ');
}

function comparisonJson(comparison: MetricComparison): Record<string, unknown> {
  const { metric, direction, baseline, experiment, atEnd, atBest, atEqualStep } = comparison;
  return {
    metric,
    better: direction,
    baseline: sideJson(baseline),
    experiment: sideJson(experiment),
    at_end: judgementJson(atEnd),
    at_best: judgementJson(atBest),
    at_equal_step: atEqualStep && {
      [atEqualStep.by]: atEqualStep.position,
      baseline: jsonValue(atEqualStep.baseline),
      experiment: jsonValue(atEqualStep.experiment),
      ...judgementJson(atEqualStep),
    },
  };
}

const sideJson = (summary: MetricSummary | undefined): Record<string, unknown> | null =>
  summary === undefined
    ? null
    : {
        latest: jsonValue(summary.last),
        latest_step: jsonStep(summary.lastStep),
        best: jsonValue(summary.best),
        min: jsonValue(summary.min),
        max: jsonValue(summary.max),
        samples: summary.count,
      };

const judgementJson = (judgement: Judgement | undefined): Record<string, unknown> | null =>
  judgement === undefined
    ? null
    : {
        delta: jsonValue(judgement.delta),
        relative_delta: jsonValue(judgement.relativeDelta),
        verdict: judgement.verdict,
      };
