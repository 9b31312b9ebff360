/**
 * Chooses and draws the charts of a report: the best value over time, and the curves of the most
 * relevant runs.
 */
import { slug } from '../base/slug.ts';
import { isInvalid } from '../experiments/decisionsInForce.ts';
import type { LedgerRow } from '../experiments/ledger.ts';
import { countedValue, summaryFor } from '../experiments/ledger.ts';
import { resultGroups, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';
import { baselinesOf } from '../experiments/target/judgeTarget.ts';
import { conditionText, type Baselines, type Condition } from '../experiments/target/target.ts';
import type { SeriesColumns } from '../metrics/metric.ts';
import { bestSoFar } from '../experiments/bestSoFar.ts';
import type { BriefFacts } from './facts.ts';
import { nightOf, type Night } from './night.ts';
import { progressChart, type ProgressPoint } from './progressChart.ts';
import { runChart, spokenName, type ChartRun } from './runChart.ts';
import { runNames } from '../runs/run.ts';

export interface DrawnChart {
  /**
   * File name without its extension, for example `best-so-far` or `val-loss`; unique in the set.
   */
  readonly name: string;
  /** Alternative text of the image. */
  readonly text: string;
  readonly svg: string;
}

/**
 * Reads all points of one metric of a run. Resolves with `undefined` when the points are
 * unavailable.
 */
export type ReadSeries = (row: LedgerRow, metric: string) => Promise<SeriesColumns | undefined>;

export interface ChartOptions {
  /** Whether repeats are drawn as one line, their mean, in a band of one standard deviation. */
  readonly isGrouped?: boolean;
  /** Number of columns to which each line is reduced. Default: half of the width in pixels. */
  readonly columns?: number;
}

const maxRuns = 8;
const maxBroken = 2;
const maxOtherMetrics = 3;

export async function drawCharts(
  facts: BriefFacts,
  read: ReadSeries,
  { isGrouped = false, columns }: ChartOptions = {},
): Promise<readonly DrawnChart[]> {
  const night = nightOf(facts);
  const { decisive } = facts.ledger;
  if (decisive === undefined) return [];
  const progress = progressOf(night);
  const charts: DrawnChart[] = progress === undefined ? [] : [progress];
  const shown = isGrouped ? chosenGroups(night) : chosenRuns(night).map((row) => [row]);
  for (const metric of [decisive.metric, ...otherMetrics(night)]) {
    const name = freeName(metric, charts);
    const chart = await curvesOf(night, { metric, shown, read, name, columns });
    if (chart !== undefined) charts.push(chart);
  }
  return charts;
}

/** Draws the progress chart; `undefined` for fewer than two runs, since they show no progress. */
function progressOf(night: Night): DrawnChart | undefined {
  const { ledger } = night.facts;
  const { decisive } = ledger;
  if (decisive === undefined) return undefined;
  const points = ledger.experiments.flatMap(({ runs }) =>
    runs.flatMap((row) => pointOf(night, row)),
  );
  if (points.length < 2) return undefined;
  const svg = progressChart({
    metric: decisive.metric,
    points: points.sort((a, b) => a.number - b.number),
    best: bestSoFar(night.facts),
    ...goalOf(night, decisive.metric),
  });
  return svg === undefined
    ? undefined
    : { name: 'best-so-far', text: `${decisive.metric}: best so far, by run`, svg };
}

/**
 * Returns the dot of a run; an empty list if the run has no finite value. A run that cannot be the
 * best, such as a crashed run, also has a dot: at the best value that it recorded.
 */
function pointOf(night: Night, row: LedgerRow): ProgressPoint[] {
  const { decisive } = night.facts.ledger;
  const value = night.valueOf(row);
  const summary = decisive && summaryFor(row.metrics, decisive.metric);
  const shown = value ?? (summary && countedValue(summary, decisive));
  const decision = row.decision?.decision;
  return shown === undefined || !Number.isFinite(shown)
    ? []
    : [
        {
          number: row.number,
          value: shown,
          counts: value !== undefined && !isInvalid(row.decision),
          ...(decision && { decision }),
        },
      ];
}

/**
 * Returns the runs to draw: the champion, the best runs, and the newest runs with non-finite
 * values. Leaves out runs decided invalid and reproductions.
 */
function chosenRuns({ facts: { ledger }, valueOf, compare }: Night): readonly LedgerRow[] {
  const { champion, decisive } = ledger;
  const rows = ledger.rows.filter(
    ({ decision, isReproduction }) => decision?.decision !== 'invalid' && isReproduction !== true,
  );
  const ranked = rows
    .map((row) => ({ row, value: valueOf(row) }))
    .filter(({ row, value }) => value !== undefined && row !== champion)
    .sort((a, b) => compare(a.value, b.value))
    .map(({ row }) => row);
  const broken = rows
    .filter(
      ({ metrics }) => summaryFor(metrics, decisive?.metric ?? '')?.firstNonFinite !== undefined,
    )
    .slice(-maxBroken);
  const best = ranked.slice(0, maxRuns - (champion === undefined ? 0 : 1));
  return [...(champion === undefined ? [] : [champion]), ...best, ...broken];
}

/**
 * Returns the groups of repeats to draw: that of the champion, those with the best mean, and runs
 * without repeats that `chosenRuns` returns.
 */
function chosenGroups(night: Night): readonly (readonly LedgerRow[])[] {
  const { experiments, decisive, champion } = night.facts.ledger;
  if (decisive === undefined) return [];
  const groups = resultGroups(experiments, decisive);
  const grouped = new Set(groups.flat());
  const others = chosenRuns(night).filter((row) => !grouped.has(row));
  const isBest = (group: readonly LedgerRow[]): boolean =>
    champion !== undefined && group.includes(champion);
  const meanOf = (group: readonly LedgerRow[]) => summaryOfRepeats(group, decisive)?.mean;
  const ranked = groups
    .map((group) => ({ group, mean: meanOf(group) }))
    .toSorted(
      (a, b) => Number(isBest(b.group)) - Number(isBest(a.group)) || night.compare(a.mean, b.mean),
    )
    .map(({ group }) => group);
  return [...ranked.slice(0, maxRuns), ...others.map((row) => [row])];
}

function otherMetrics({ facts: { ledger } }: Night): readonly string[] {
  const own =
    ledger.decisive && summaryFor(ledger.champion?.metrics ?? [], ledger.decisive.metric)?.metric;
  return (ledger.champion?.metrics ?? [])
    .filter(({ metric, direction, count }) => metric !== own && direction !== 'none' && count > 1)
    .slice(0, maxOtherMetrics)
    .map(({ metric }) => metric);
}

interface Curves {
  readonly name: string;
  readonly metric: string;
  /** Groups of repeats; each is one line. */
  readonly shown: readonly (readonly LedgerRow[])[];
  readonly read: ReadSeries;
  readonly columns: number | undefined;
}

async function curvesOf(
  night: Night,
  { name, metric, shown, read, columns }: Curves,
): Promise<DrawnChart | undefined> {
  const runs: ChartRun[] = [];
  for (const group of shown) {
    const line = await lineOf(night, group, { metric, read });
    if (line !== undefined) runs.push(line);
  }
  const svg = runChart({
    metric,
    runs,
    ...goalOf(night, metric),
    ...(columns !== undefined && { columns }),
  });
  return svg === undefined
    ? undefined
    : { name, text: `${metric} of ${runs.map(spokenName).join(', ')}`, svg };
}

/** Reads the points of the runs of one line; `undefined` if none of them has points. */
async function lineOf(
  night: Night,
  group: readonly LedgerRow[],
  { metric, read }: Pick<Curves, 'metric' | 'read'>,
): Promise<ChartRun | undefined> {
  const measured: { readonly row: LedgerRow; readonly series: SeriesColumns }[] = [];
  for (const row of group) {
    const own = summaryFor(row.metrics, metric);
    const series = own && (await read(row, own.metric));
    if (series !== undefined && series.values.length > 0) measured.push({ row, series });
  }
  const [first, ...others] = measured;
  if (first === undefined) return undefined;
  const rows = measured.map(({ row }) => row);
  return {
    number: first.row.number,
    name: runNames(rows.map(({ number }) => number)),
    isChampion: rows.some(({ isChampion }) => isChampion),
    isExcluded: rows.every((row) => night.valueOf(row) === undefined || isInvalid(row.decision)),
    series: first.series,
    repeats: others.map(({ series }) => series),
  };
}

/**
 * Returns the goal in the scale of the values. A goal in percent is divided by 100 if the measured
 * values are fractions of 1.
 */
function goalOf(
  { facts, valueOf }: Night,
  metric: string,
): { goal?: { value: number; text: string } } {
  const { target, ledger } = facts;
  const [condition] = target?.conditions ?? [];
  if (target === undefined || condition === undefined || metric !== ledger.decisive?.metric)
    return {};
  if (condition.isRelative) return relativeGoal(condition, baselinesOf(target, ledger));
  const reached = valueOf(ledger.champion) ?? 0;
  const isShare = condition.isPercent === true && Math.abs(reached) <= 1;
  const value = isShare ? condition.value / 100 : condition.value;
  return { goal: { value, text: conditionText(condition) } };
}

function relativeGoal(
  condition: Condition,
  baselines: Baselines,
): { goal?: { value: number; text: string } } {
  const baseline = baselines.get(condition);
  if (baseline === undefined) return {};
  const value = condition.value * baseline.value;
  return { goal: { value, text: conditionText(condition, baseline) } };
}

function freeName(metric: string, others: readonly DrawnChart[]): string {
  const plain = slug(metric, 40) || 'metric';
  const usedNames = new Set(others.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? plain : `${plain}-${number}`;
    if (!usedNames.has(name)) return name;
  }
}
