/**
 * Builds the experiments of the ledger: plan, result and decision. A result contains measured
 * values only.
 */
import { counted } from '../base/text.ts';
import { runName } from '../runs/run.ts';
import { decisionOver, isInvalid, isOut, leadOf } from './decisionsInForce.ts';
import {
  countedValue,
  statusCounts,
  summaryFor,
  type Decisive,
  type ExperimentResult,
  type ExperimentRow,
  type ExperimentStatus,
  type LedgerEntry,
  type LedgerRow,
  type PlannedExperiment,
  type ThinkingCost,
} from './ledger.ts';
import { runsByExperiment, settingGroups } from './repeats.ts';
import { repeatStatistics, type MeasuredRow } from './repeatStatistics.ts';
import { seedOf, type Statistics } from './seeds.ts';
import type { Repeats } from './target/target.ts';

export function experimentRows(
  rows: readonly LedgerRow[],
  records: ReadonlyMap<string, PlannedExperiment>,
  decisive: Decisive | undefined,
): readonly ExperimentRow[] {
  const byId = runsByExperiment(rows.filter(({ isReproduction }) => isReproduction !== true));
  const again = runsByExperiment(rows.filter(({ isReproduction }) => isReproduction === true));
  const planned = [...records.values()].map((record): ExperimentRow => {
    const reproductions = again.get(record.plan.id);
    const row = plannedRow(record, byId.get(record.plan.id) ?? []);
    return { ...row, ...(reproductions && { reproductions }) };
  });
  const others = [...byId]
    .filter(([id]) => !records.has(id))
    .map(([id, runs]) => bareRow(id, runs));
  return withResults([...others, ...planned], decisive);
}

function withResults(
  all: readonly ExperimentRow[],
  decisive: Decisive | undefined,
): readonly ExperimentRow[] {
  if (decisive === undefined) return all;
  const groups = settingGroups(all);
  const groupOf = new Map(groups.flatMap((group) => group.map((run) => [run, group] as const)));
  return all.map((row) => {
    const own = new Set(row.runs.map((run) => groupOf.get(run) ?? [run]));
    const result = resultOf(row.runs, decisive, [...own]);
    return result === undefined ? row : { ...row, result };
  });
}

function plannedRow(record: PlannedExperiment, runs: readonly LedgerRow[]): ExperimentRow {
  const { plan, decisions } = record;
  const decision = decisionOver(decisions, runs);
  return {
    id: plan.id,
    plan,
    hypothesis: plan.hypothesis,
    command: plan.command,
    decisions,
    ...common(runs),
    ...(decision && { decision }),
  };
}

function bareRow(id: string, runs: readonly LedgerRow[]): ExperimentRow {
  const [first] = runs;
  return {
    id,
    hypothesis: first?.label ?? '',
    command: first?.command ?? '',
    decisions: [],
    ...common(runs),
  };
}

function common(runs: readonly LedgerRow[]) {
  const cost = costOf(runs);
  const limit = runs.find((run) => run.limit !== undefined)?.limit;
  return {
    runs,
    status: statusOf(runs),
    verdicts: verdictsOf(runs),
    runMs: runs.reduce((sum, run) => sum + tookMs(run), 0),
    isChampion: runs.some(({ isChampion }) => isChampion),
    ...(cost && { cost }),
    ...(limit && { limit }),
  };
}

const tookMs = ({ startedMs, endedMs }: LedgerRow): number =>
  startedMs === undefined || endedMs === undefined ? 0 : endedMs - startedMs;

function statusOf(runs: readonly LedgerRow[]): ExperimentStatus {
  if (runs.length === 0) return 'not_started';
  if (runs.every(({ verdict }) => verdict !== undefined)) return 'over';
  return runs.some(({ startedMs }) => startedMs !== undefined) ? 'running' : 'planned';
}

const verdictsOf = (runs: readonly LedgerRow[]): string => statusCounts(runs).join(', ');

function costOf(runs: readonly LedgerRow[]): ThinkingCost | undefined {
  const costs = runs.flatMap(({ cost }) => cost ?? []);
  if (costs.length === 0) return undefined;
  return {
    usd: costs.reduce((sum, { usd }) => sum + usd, 0),
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    hasUnknownCost: costs.some(({ hasUnknownCost }) => hasUnknownCost),
  };
}

/**
 * Returns the result of the best of the settings that `runs` belong to, with all repeats of it in
 * `groups`. A kept setting ranks first, an excluded one last; then a setting with all repeats of
 * the goal ranks first; a setting with a run that ended successfully ranks above one whose measured
 * runs are all still running.
 */
export function resultOf(
  runs: readonly LedgerRow[],
  decisive: Decisive,
  groups: readonly (readonly LedgerRow[])[],
): ExperimentResult | undefined {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const own = new Set(runs);
  const results = groups.flatMap((group) => {
    const repeats = group.filter((run) => own.has(run));
    if (repeats.length === 0) return [];
    const isOwn = repeats.every(({ decision }) => isInvalid(decision));
    const valid = isOwn ? repeats : group.filter(({ decision }) => !isInvalid(decision));
    return summaryOfRepeats(valid, decisive) ?? [];
  });
  const [best] = results.toSorted(
    (a, b) =>
      decisionRank(a) - decisionRank(b) ||
      Number(a.lack !== undefined) - Number(b.lack !== undefined) ||
      Number(isGoing(a)) - Number(isGoing(b)) ||
      sign * (a.mean - b.mean),
  );
  return best && { metric: decisive.metric, rule: decisive.rule, ...best };
}

/** Statistics of the decisive metric over a group of repeats. */
export interface RepeatsSummary<Entry> extends Statistics {
  readonly best: number;
  readonly runs: readonly Entry[];
  /** Measured repeats with seeds that the goal does not name, which do not count. Omitted if none. */
  readonly others?: readonly Entry[];
  /** The repeats of the goal that are not measured: `seeds 1, 2 missing`. Omitted if none. */
  readonly lack?: string;
}

function decisionRank({ runs }: RepeatsSummary<LedgerEntry>): number {
  const lead = leadOf(runs);
  if (lead?.decision?.decision === 'keep') return 0;
  return isOut(lead?.decision) ? 2 : 1;
}

const isGoing = ({ runs }: RepeatsSummary<LedgerEntry>): boolean =>
  runs.some(({ verdict }) => verdict === undefined);

/**
 * Summarizes a group of repeats: the runs that ended successfully or, if there are none, the runs
 * that have not ended. See `repeatStatistics`. If the goal names seeds, only the runs with these
 * seeds count, unless there are none. Returns `undefined` if no run has a value of the decisive
 * metric.
 */
export function summaryOfRepeats<Entry extends LedgerEntry>(
  group: readonly Entry[],
  decisive: Decisive,
): RepeatsSummary<Entry> | undefined {
  const measured = measuredRows(group, decisive);
  const ended = measured.filter(({ row }) => row.verdict !== undefined);
  const all = ended.length > 0 ? ended : measured;
  const { counted: chosen, lack } = repeatsIn(all, decisive.repeats);
  const others = all.filter((one) => !chosen.includes(one)).map(({ row }) => row);
  const values = chosen.map(({ value }) => value);
  if (values.length === 0) return undefined;
  return {
    ...repeatStatistics(chosen),
    best: decisive.direction === 'lower' ? Math.min(...values) : Math.max(...values),
    runs: chosen.map(({ row }) => row),
    ...(others.length > 0 && { others }),
    ...(lack !== undefined && { lack }),
  };
}

/** Returns the runs that count for the repeats of the goal, and which repeats are missing. */
function repeatsIn<Entry extends LedgerEntry>(
  all: readonly MeasuredRow<Entry>[],
  { seeds, seedCount = 2 }: Repeats = { seedCount: 0 },
): { readonly counted: readonly MeasuredRow<Entry>[]; readonly lack?: string } {
  const nameOf = ({ row }: MeasuredRow<Entry>): string => seedOf(row) ?? runName(row.number);
  if (seeds === undefined) {
    const missing = seedCount - new Set(all.map(nameOf)).size;
    return missing > 0
      ? { counted: all, lack: `${counted(missing, 'more seed')} needed` }
      : { counted: all };
  }
  const named = all.filter((one) => seeds.includes(Number(nameOf(one))));
  const missing = seeds.filter((seed) => !named.some((one) => Number(nameOf(one)) === seed));
  return {
    counted: named.length === 0 ? all : named,
    ...(missing.length > 0 && {
      lack: `${missing.length === 1 ? 'seed' : 'seeds'} ${missing.join(', ')} missing`,
    }),
  };
}

/**
 * Returns the value of the decisive metric by which a run is judged; `undefined` if the run ended
 * without success, has no value, or printed a non-finite value. A running run has a value.
 */
export function measuredValue(row: LedgerEntry, decisive: Decisive): number | undefined {
  if (row.verdict !== undefined && row.verdict.kind !== 'ok') return undefined;
  const summary = summaryFor(row.metrics, decisive.metric);
  if (summary === undefined || summary.firstNonFinite !== undefined) return undefined;
  const value = countedValue(summary, decisive);
  return Number.isFinite(value) ? value : undefined;
}

/** Returns the runs that have a value of the decisive metric (see `measuredValue`). */
export const measuredRows = <Entry extends LedgerEntry>(
  rows: readonly Entry[],
  decisive: Decisive,
): readonly MeasuredRow<Entry>[] =>
  rows.flatMap((row) => {
    const value = measuredValue(row, decisive);
    return value === undefined ? [] : [{ row, value }];
  });

/**
 * Groups the runs that have a value by setting, across experiments (see `settingGroups`). Runs
 * decided invalid or crash are left out.
 */
export function resultGroups(
  experiments: readonly ExperimentRow[],
  decisive: Decisive,
): readonly (readonly LedgerRow[])[] {
  const isCounted = (run: LedgerRow): boolean =>
    run.verdict !== undefined &&
    !isInvalid(run.decision) &&
    measuredValue(run, decisive) !== undefined;
  return settingGroups(experiments)
    .map((runs) => runs.filter(isCounted))
    .filter((runs) => runs.length > 0);
}
