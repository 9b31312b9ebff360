/** A run at a point in time: its state, and the metric values that Helios had read by that time. */
import { runStatus, runName } from '../../presentation/runs/runText.ts';
import type { RunState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import { formatValue } from '../../base/text.ts';
import { directionOf, downsampleForPlot } from '../../presentation/runs/series.ts';
import type { MetricSummary, SeriesColumns } from '../../metrics/metric.ts';
import type { MetricAt, RunAt } from '../../protocol/sessionView.ts';
import { line } from './timeline.ts';
import { verdictTone } from '../../presentation/events.ts';
import type { SessionViewSource } from './viewSource.ts';

const maxMetrics = 8;
const sparkPixels = 60;

export interface RunAsked {
  readonly run: RunState;
  readonly atMs: number;
  /**
   * Names of the run's metrics, the deciding metric first. Includes metrics that appeared after
   * `atMs`.
   */
  readonly metrics: readonly string[];
}

export async function runAt(
  source: Pick<SessionViewSource, 'series'>,
  asked: RunAsked,
): Promise<RunAt> {
  const { run, atMs } = asked;
  const { id, number, label, machineId } = run.spec;
  const names = asked.metrics.slice(0, maxMetrics);
  const columns = await Promise.all(names.map((name) => pointsReadBy(source, { id, name, atMs })));
  const metrics = names.flatMap((name, index) => metricAt(name, run, columns[index]) ?? []);
  const [first = ''] = names;
  return {
    id,
    name: runName(number),
    label: line(label),
    machine: machineId,
    metrics,
    status: line(runStatus(run)),
    tone: run.notStarted === undefined ? verdictTone(run.verdict) : 'bad',
    spark: { metric: first, y: sparkOf(columns[0]) },
  };
}

interface ReadQuery {
  readonly id: RunId;
  readonly name: string;
  readonly atMs: number;
}

/** Returns the points of a series that Helios had read by `atMs`. */
async function pointsReadBy(
  source: Pick<SessionViewSource, 'series'>,
  { id, name, atMs }: ReadQuery,
): Promise<SeriesColumns | undefined> {
  const all = await source.series(id, name);
  if (all === undefined) return undefined;
  const end = countUntil(all.timesMs, atMs);
  return {
    ...(all.indices && { indices: all.indices.subarray(0, end) }),
    steps: all.steps.subarray(0, end),
    timesMs: all.timesMs.subarray(0, end),
    values: all.values.subarray(0, end),
  };
}

/**
 * Returns the number of values that were read by `atMs`. Uses a binary search: the times at which
 * values were read are in ascending order, unless a clock was set back.
 */
function countUntil(timesMs: Float64Array, atMs: number): number {
  let [low, high] = [0, timesMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timesMs[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns a metric of the run: for an ended run the recorded final values, otherwise the values
 * read so far.
 */
function metricAt(
  name: string,
  run: RunState,
  columns: SeriesColumns | undefined,
): MetricAt | undefined {
  const recorded = run.metrics.find(({ metric }) => metric === name);
  if (recorded !== undefined) return textsOf(recorded);
  if (columns === undefined || columns.values.length === 0) return undefined;
  const direction = directionOf(name, run.spec.metrics.directions);
  return textsOf({ metric: name, ...tallyOf(columns, direction) });
}

const textsOf = ({
  metric,
  last,
  best,
  count,
}: Pick<MetricSummary, 'metric' | 'last' | 'best' | 'count'>): MetricAt => ({
  name: metric,
  last: formatValue(last),
  best: formatValue(best),
  points: count,
});

/**
 * Returns the values of the points. Of a sample of a very long series, the number of points is that
 * up to the last point of the sample.
 */
function tallyOf({ values, indices }: SeriesColumns, direction: MetricSummary['direction']) {
  const last = values.at(-1) ?? Number.NaN;
  let best = Number.NaN;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (Number.isNaN(best) || (direction === 'higher' ? value > best : value < best)) best = value;
  }
  return {
    last,
    best: direction === 'none' ? last : best,
    count: (indices?.at(-1) ?? values.length - 1) + 1,
  };
}

function sparkOf(columns: SeriesColumns | undefined): Float64Array {
  if (columns === undefined || columns.values.length < 2) return new Float64Array();
  const x = columns.indices ?? columns.values.map((_, index) => index);
  return downsampleForPlot(x, columns.values, { pixels: sparkPixels }).y;
}
