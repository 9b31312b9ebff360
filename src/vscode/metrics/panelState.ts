/** Converts a session to the state that the metrics panel shows. */
import path from 'node:path';
import type { RunId } from '../../base/ids.ts';
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import {
  groupLabel,
  groupName,
  groupStatistics,
  pooledSpread,
  runGroups,
  seedOf,
  statisticsText,
  type RunGroup,
  type Statistics,
} from '../../presentation/runs/runGroups.ts';
import { parametersOf } from '../../presentation/runs/settingColumns.ts';
import { countedValue, rowStatus, runName } from '../../presentation/runs/runText.ts';
import { formatValue, oneLine } from '../../base/text.ts';
import {
  noState,
  type PanelGroup,
  type PanelMetric,
  type PanelMetricValue,
  type PanelRun,
  type PanelState,
} from '../../protocol/metricsPanel.ts';
import { rowFacts } from './rowFacts.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { isOpen, sessionName } from '../../presentation/sessions/sessionText.ts';
import { panelMetrics } from './panelMetrics.ts';

export const emptyPanelState: PanelState = { ...noState, title: 'No session' };

interface BuiltRun {
  readonly row: LedgerRow;
  readonly run: PanelRun;
}

interface BuiltGroup {
  /** The rows as they were when they were built; the same objects while nothing changed. */
  readonly built: readonly BuiltRun[];
  readonly group: PanelGroup | undefined;
  /** Mean of the sound runs, and statistics of all, by the deciding metric. */
  readonly mean: number | undefined;
  readonly statistics: Statistics | undefined;
}

/**
 * Builds the states of one session. Runs, groups and metrics that have not changed since the last
 * state are the same objects: only what has changed is formatted again.
 */
export class PanelStates {
  #runs: ReadonlyMap<RunId, BuiltRun> = new Map();
  #groups: ReadonlyMap<number, BuiltGroup> = new Map();
  #metrics: ReadonlyMap<string, PanelMetric> = new Map();
  #decisive = '';

  of({ state, ledger }: OpenSessionView): PanelState {
    const groups = runGroups(ledger);
    this.#build(groups, { state, ledger });
    return {
      sessionId: state.id,
      title: oneLine(sessionName(state), 120),
      project: path.basename(state.workFolder),
      isOpen: isOpen(state),
      runs: ledger.rows.flatMap(({ runId }) => this.#runs.get(runId)?.run ?? []),
      groups: [...this.#groups.values()].flatMap(({ group }) => group ?? []),
      ranking: rankingOf(this.#groups, ledger),
      ...decisiveOf(this.#groups.values(), ledger),
      metrics: this.#metricsOf({ state, ledger }),
    };
  }

  #build(groups: readonly RunGroup[], { state, ledger }: OpenSessionView): void {
    const decisive = JSON.stringify(ledger.decisive);
    const runs = new Map<RunId, BuiltRun>();
    const built = groups.map((group): [number, BuiltGroup] => {
      const rows = group.rows.map((row) => this.#builtRun(row, group.number, state));
      for (const one of rows) runs.set(one.row.runId, one);
      const before = decisive === this.#decisive ? this.#groups.get(group.number) : undefined;
      const isSame =
        before?.built.length === rows.length &&
        rows.every((one, index) => one === before.built[index]);
      return [group.number, isSame ? before : builtGroup(group, rows, ledger)];
    });
    this.#runs = runs;
    this.#groups = new Map(built);
    this.#decisive = decisive;
  }

  #builtRun(row: LedgerRow, group: number, state: OpenSessionView['state']): BuiltRun {
    const before = this.#runs.get(row.runId);
    if (before?.run.group === group && isSameRow(before.row, row)) return before;
    return { row, run: { ...panelRun(row, group), ...rowFacts(row, state) } };
  }

  #metricsOf(view: OpenSessionView): readonly PanelMetric[] {
    const metrics = panelMetrics(view).map((metric) => {
      const before = this.#metrics.get(metric.name);
      return before !== undefined && JSON.stringify(before) === JSON.stringify(metric)
        ? before
        : metric;
    });
    this.#metrics = new Map(metrics.map((metric) => [metric.name, metric]));
    return metrics;
  }
}

export const panelState = (view: OpenSessionView): PanelState => new PanelStates().of(view);

/** Whether a run is shown alike, and counts alike for its group. */
function isSameRow(one: LedgerRow, other: LedgerRow): boolean {
  return (
    rowFields.every((field) => one[field] === other[field]) &&
    detailsOf(one).every((detail, index) => detail === detailsOf(other)[index]) &&
    (one.metrics === other.metrics ||
      (one.metrics.length === other.metrics.length &&
        one.metrics.every((summary, index) => isSameSummary(summary, other.metrics[index]))))
  );
}

const detailsOf = ({ cost, alarm, annotation }: LedgerRow): readonly unknown[] => [
  cost?.usd,
  alarm?.detail,
  alarm?.action,
  annotation?.note,
  annotation?.tags.join(),
];

const rowFields = [
  'number',
  'label',
  'machineId',
  'command',
  'seed',
  'setting',
  'experimentId',
  'startedMs',
  'endedMs',
  'verdict',
  'isChampion',
] as const satisfies readonly (keyof LedgerRow)[];

const isSameSummary = (one: MetricSummary, other: MetricSummary | undefined): boolean =>
  other !== undefined && summaryFields.every((field) => Object.is(one[field], other[field]));

const summaryFields = [
  'metric',
  'count',
  'last',
  'lastStep',
  'min',
  'max',
  'mean',
  'best',
  'direction',
] as const satisfies readonly (keyof MetricSummary)[];

function builtGroup(group: RunGroup, built: readonly BuiltRun[], ledger: Ledger): BuiltGroup {
  const shown = group.rows.length > 1 ? panelGroup(group) : undefined;
  const { decisive } = ledger;
  if (decisive === undefined)
    return { built, group: shown, mean: undefined, statistics: undefined };
  const valueOf = (summary: MetricSummary): number => countedValue(summary, decisive);
  const sound = group.rows.filter(({ verdict }) => verdict === undefined || verdict.kind === 'ok');
  const { number } = group;
  return {
    built,
    group: shown,
    mean: groupStatistics({ number, rows: sound }, decisive.metric, valueOf)?.mean,
    statistics: groupStatistics(group, decisive.metric, valueOf),
  };
}

function panelGroup(group: RunGroup): PanelGroup {
  const names = new Set(group.rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)));
  const text = (metric: string, pick: (summary: MetricSummary) => number): string => {
    const statistics = groupStatistics(group, metric, pick);
    return statistics === undefined ? '' : statisticsText(statistics);
  };
  return {
    number: group.number,
    runIds: group.rows.map(({ runId }) => runId),
    name: groupName(group),
    label: groupLabel(group),
    metrics: Object.fromEntries(
      [...names].map((name) => [
        name,
        { last: text(name, ({ last }) => last), best: text(name, ({ best }) => best) },
      ]),
    ),
  };
}

/**
 * Returns the numbers of the groups that have a value of the deciding metric, the best first. Runs
 * that failed do not count.
 */
function rankingOf(
  groups: ReadonlyMap<number, BuiltGroup>,
  { decisive }: Ledger,
): readonly number[] {
  if (decisive === undefined) return [];
  const sign = decisive.direction === 'higher' ? -1 : 1;
  return [...groups]
    .flatMap(([number, { mean }]) => (mean === undefined ? [] : [{ number, mean }]))
    .sort((a, b) => sign * (a.mean - b.mean))
    .map(({ number }) => number);
}

function decisiveOf(
  groups: Iterable<BuiltGroup>,
  { decisive, best }: Ledger,
): Pick<PanelState, 'decisive'> {
  if (decisive === undefined) return {};
  const { metric, rule } = decisive;
  const pooled = pooledSpread([...groups].map(({ statistics }) => statistics));
  return {
    decisive: {
      metric,
      rule,
      ...(best && { champion: best.mean }),
      ...(pooled !== undefined && { pooled }),
    },
  };
}

function panelRun(row: LedgerRow, group: number): PanelRun {
  const { startedMs, endedMs, cost } = row;
  const seed = seedOf(row);
  return {
    id: row.runId,
    number: row.number,
    group,
    name: runName(row.number),
    label: row.label,
    machine: row.machineId,
    isRunning: row.verdict === undefined,
    status: rowStatus(row),
    isGood: row.verdict === undefined || row.verdict.kind === 'ok',
    isChampion: row.isChampion,
    parameters: Object.fromEntries(parametersOf(row)),
    ...(seed !== undefined && { seed }),
    ...(startedMs !== undefined && endedMs !== undefined && { durationMs: endedMs - startedMs }),
    ...(cost && { usd: cost.usd }),
    metrics: valuesOf(row),
  };
}

const valuesOf = ({ metrics }: LedgerRow): Readonly<Record<string, PanelMetricValue>> =>
  Object.fromEntries(
    metrics.map(({ metric, last, best, count }) => [
      metric,
      { last: formatValue(last), best: formatValue(best), points: count },
    ]),
  );
