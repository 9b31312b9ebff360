import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { formatValue } from '../../base/text.ts';
import { findMetric } from '../../metrics/metricName.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { minForShape, sampleForModel } from '../../metrics/sampleForModel.ts';
import { bestIn, betterDirection, type BetterDirection } from './betterDirection.ts';
import {
  jsonStep,
  jsonValue,
  requireOwnRuns,
  requireRuns,
  runHead,
  taskId,
  type MeasuredRun,
  type MeasuredRuns,
  type RunsReference,
  taskText,
} from './measuredRuns.ts';
import { groupText, groupValues } from './groupValues.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxRuns = 20;
const maxPoints = 1000;

const parameters = z.strictObject({
  metric_names: z.array(z.string()).optional().describe('Without names, lists the metrics.'),
  metric_patterns: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .meta({ isOpaque: true })
    .describe('Metric → regular expression with one group: reads the output of task_id again.'),
  task_id: taskId(`Default: the last ${maxRuns} runs.`).optional(),
  lines: z
    .number()
    .int()
    .min(1)
    .max(maxPoints)
    .default(50)
    .describe(`Most points per series; less than ${minForShape} counts as ${minForShape}.`),
});

export function showMetrics(runs: MeasuredRuns): Tool {
  return defineTool({
    name: 'show_metrics',
    description:
      'Show metrics of runs: last, best, min, max, mean, trend, the first NaN or Inf, and a sampled series.',
    effect: 'read',
    countedAs: 'result',
    parameters,
    aliases: { run: 'task_id', run_id: 'task_id', metrics: 'metric_names', names: 'metric_names' },
    describe: ({ metric_names: names, task_id: task }) =>
      `Read ${names?.join(', ') ?? 'metrics'}${task === undefined ? '' : ` of ${taskText(task)}`}`,
    execute: async ({ metric_patterns: patterns, task_id: task, lines, ...args }) => {
      if (patterns !== undefined) await rereadAll(runs, task, patterns);
      const names = args.metric_names ?? Object.keys(patterns ?? {});
      const requestedRuns = task === undefined ? runs.all() : await requireRuns(runs, task);
      const shown = requestedRuns.slice(-maxRuns);
      const omitted =
        requestedRuns.length > shown.length
          ? { older_runs_left_out: requestedRuns.length - shown.length }
          : {};
      if (names.length === 0)
        return { content: { runs: await withNearest(runs, shown), ...omitted } };
      const found = shown.flatMap((run) =>
        showRun(run, { names, lines, objectives: runs.objectives() }),
      );
      if (found.length === 0)
        throw noSuchMetric(names, shown, await nearestText(runs, shown, names));
      return {
        content: {
          runs: found.map(({ head, metrics }) => ({
            ...head,
            metrics: metrics.map(({ json }) => json),
          })),
          ...groupsOf(requestedRuns, names, runs.repeats()),
          ...(await notRead(runs, shown, namesWithout(names, shown))),
          ...omitted,
        },
        summary: found
          .flatMap(({ head, metrics }) => metrics.map(({ text }) => `${String(head.run)}: ${text}`))
          .join(' · '),
      };
    },
  });
}

async function rereadAll(
  runs: MeasuredRuns,
  task: RunsReference | undefined,
  patterns: Readonly<Record<string, string>>,
): Promise<void> {
  if (task === undefined)
    throw new ToolFailure('metric_patterns needs task_id: the runs whose output is read again.');
  for (const { id } of requireOwnRuns(runs, task)) await runs.reread(id, patterns);
}

/** Returns mean and standard deviation of the last values; nothing for a single run. */
function groupsOf(
  runs: readonly MeasuredRun[],
  names: readonly string[],
  repeats: ReturnType<MeasuredRuns['repeats']>,
): Record<string, unknown> {
  const groups = names.flatMap((name) => groupValues(runs, name, repeats) ?? []);
  const repeated = groups.filter(({ spread }) => spread !== undefined);
  if (repeated.length === 0) return {};
  return {
    over_all_runs: Object.fromEntries(
      repeated.map((group) => [group.metric, `last ${groupText(group)}`]),
    ),
  };
}

const listMetrics = (
  run: MeasuredRun,
  objectives: ReturnType<MeasuredRuns['objectives']>,
): Record<string, unknown> => ({
  ...runHead(run),
  available_metrics: run.metrics.summaries().map((summary) => ({
    name: summary.metric,
    points: summary.count,
    latest: jsonValue(summary.last),
    ...bestJson(summary, betterDirection(summary, run, objectives)),
  })),
});

function bestJson(summary: MetricSummary, better: BetterDirection): Record<string, unknown> {
  const best = bestIn(summary, better);
  return best === undefined ? {} : { best: jsonValue(best) };
}

interface ShownRun {
  readonly head: Record<string, unknown>;
  readonly metrics: readonly { readonly text: string; readonly json: Record<string, unknown> }[];
}

interface Shown {
  readonly names: readonly string[];
  readonly lines: number;
  readonly objectives: ReturnType<MeasuredRuns['objectives']>;
}

function showRun(run: MeasuredRun, { names, lines, objectives }: Shown): ShownRun[] {
  const printed = run.metrics.names();
  const requestedNames = new Set(names.map((name) => findMetric(name.trim(), printed)));
  const metrics = run.metrics
    .summaries()
    .filter(({ metric }) => requestedNames.has(metric))
    .map((summary) => ({
      text: `${summary.metric} ${formatValue(summary.last)}`,
      json: {
        ...summaryJson(summary, betterDirection(summary, run, objectives)),
        ...seriesJson(run, summary.metric, lines),
      },
    }));
  return metrics.length === 0 ? [] : [{ head: runHead(run), metrics }];
}

function summaryJson(summary: MetricSummary, better: BetterDirection): Record<string, unknown> {
  const { metric, count, firstNonFinite, ...values } = summary;
  return {
    name: metric,
    points: count,
    latest: jsonValue(values.last),
    latest_step: jsonStep(values.lastStep),
    min: jsonValue(values.min),
    max: jsonValue(values.max),
    mean: jsonValue(values.mean),
    ...bestJson(summary, better),
    better: better.text,
    ...(firstNonFinite && { first_non_finite: nonFiniteJson(firstNonFinite) }),
  };
}

const nonFiniteJson = ({
  value,
  step,
  index,
}: NonNullable<MetricSummary['firstNonFinite']>): Record<string, unknown> => ({
  value: jsonValue(value),
  step: jsonStep(step),
  index,
});

function seriesJson(run: MeasuredRun, metric: string, lines: number): Record<string, unknown> {
  const { steps, values } = sampleForModel(run.metrics.series(metric), lines);
  const hasSteps = !steps.every(Number.isNaN);
  return {
    trend: run.metrics.trend(metric),
    ...(hasSteps && { steps: Array.from(steps, jsonStep) }),
    values: Array.from(values, jsonValue),
  };
}

/** Lists the metrics of the runs, with what was not read from them. */
const withNearest = (
  runs: MeasuredRuns,
  shown: readonly MeasuredRun[],
): Promise<readonly Record<string, unknown>[]> =>
  Promise.all(
    shown.map(async (run) => {
      const { unread = [] } = runs.find(run.id) ?? {};
      const listed = listMetrics(run, runs.objectives());
      if (unread.length === 0) return listed;
      const nearest = await runs.nearestLine(run.id, unread);
      return {
        ...listed,
        not_read: unread,
        ...(nearest !== undefined && { nearest_line: nearest }),
      };
    }),
  );

/** Returns the names that none of the runs has values of. */
const namesWithout = (
  names: readonly string[],
  shown: readonly MeasuredRun[],
): readonly string[] => {
  const read = shown.flatMap(({ metrics }) => metrics.names());
  return names.filter((name) => findMetric(name.trim(), read) === undefined);
};

/** Resolves with a field that says what was not read, if anything. */
async function notRead(
  runs: MeasuredRuns,
  shown: readonly MeasuredRun[],
  names: readonly string[],
): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const nearest = await nearestText(runs, shown, names);
  return {
    not_read: `${names.join(', ')} was not read.${nearest} metric_patterns reads the output again.`,
  };
}

/** Resolves with a sentence that quotes the most similar line of the newest of the runs. */
async function nearestText(
  runs: MeasuredRuns,
  shown: readonly MeasuredRun[],
  names: readonly string[],
): Promise<string> {
  const run = shown.findLast(({ id }) => runs.find(id) !== undefined);
  const line = run && (await runs.nearestLine(run.id, names));
  return run === undefined || line === undefined
    ? ''
    : ` Nearest line of ${run.name}: ${JSON.stringify(line)}.`;
}

function noSuchMetric(
  names: readonly string[],
  runs: readonly MeasuredRun[],
  nearest: string,
): ToolFailure {
  const known = new Set(runs.flatMap((run) => run.metrics.names()));
  const missing = `No metric ${names.join(', ')} was read from ${runs.length === 1 ? (runs[0]?.name ?? '') : 'these runs'}.`;
  return new ToolFailure(
    known.size > 0
      ? `${missing} Metrics: ${[...known].slice(0, 100).join(', ')}.${nearest}`
      : `${missing} No metric was read yet.${nearest || ' Check the output with task_output.'}`,
  );
}
