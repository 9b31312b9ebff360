/**
 * Builds the experiments of the ledger: plan, result and decision. A result contains measured
 * values only.
 */
import { commandForm } from './commandForm.ts';
import {
  rowStatus,
  summaryFor,
  type Decisive,
  type ExperimentDecision,
  type ExperimentResult,
  type ExperimentRow,
  type ExperimentStatus,
  type LedgerEntry,
  type LedgerRow,
  type PlannedExperiment,
  type ThinkingCost,
} from './ledger.ts';

/** Verdicts that mean failure, even if the run measured values before its end. */
const badEnds: ReadonlySet<string> = new Set(['failed', 'signalled', 'out_of_memory']);

/** Returns whether all runs ended by a failure of their own. */
export const hasCrashed = (runs: readonly Pick<LedgerRow, 'verdict'>[]): boolean =>
  runs.length > 0 &&
  runs.every(({ verdict }) => verdict !== undefined && badEnds.has(verdict.kind));

/**
 * Returns the decision in force. A crash decision made by the engine is void after a later run
 * succeeded.
 */
export function standingDecision(
  { decisions }: Pick<PlannedExperiment, 'decisions'>,
  runs: readonly Pick<LedgerRow, 'verdict'>[],
): ExperimentDecision | undefined {
  const last = decisions.at(-1);
  return last?.by === 'engine' && runs.length > 0 && !hasCrashed(runs) ? undefined : last;
}

/** Returns whether the decision excludes the experiment from becoming the champion. */
export const isOut = (decision: ExperimentDecision | undefined): boolean =>
  decision !== undefined && ['discard', 'invalid', 'crash'].includes(decision.decision);

/** Groups runs by experiment, in the order in which the experiments started. */
export const runsByExperiment = <Entry extends LedgerEntry>(
  rows: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(
    rows,
    ({ experimentId, sweepId, number }) => experimentId ?? sweepId ?? `run ${number}`,
  );

export function experimentRows(
  rows: readonly LedgerRow[],
  records: ReadonlyMap<string, PlannedExperiment>,
  decisive: Decisive | undefined,
): readonly ExperimentRow[] {
  const byId = runsByExperiment(rows);
  const planned = [...records.values()].map((record) =>
    plannedRow(record, byId.get(record.plan.id) ?? [], decisive),
  );
  const others = [...byId]
    .filter(([id]) => !records.has(id))
    .map(([id, runs]) => bareRow(id, runs, decisive));
  return [...others, ...planned];
}

function plannedRow(
  record: PlannedExperiment,
  runs: readonly LedgerRow[],
  decisive: Decisive | undefined,
): ExperimentRow {
  const { plan, decisions } = record;
  const decision = standingDecision(record, runs);
  return {
    id: plan.id,
    plan,
    hypothesis: plan.hypothesis,
    command: plan.command,
    decisions,
    ...common(runs, decisive),
    ...(decision && { decision }),
  };
}

function bareRow(
  id: string,
  runs: readonly LedgerRow[],
  decisive: Decisive | undefined,
): ExperimentRow {
  const [first] = runs;
  return {
    id,
    hypothesis: first?.label ?? '',
    command: first?.command ?? '',
    decisions: [],
    ...common(runs, decisive),
  };
}

function common(runs: readonly LedgerRow[], decisive: Decisive | undefined) {
  const result = decisive && resultOf(runs, decisive);
  const cost = costOf(runs);
  const limit = runs.find((run) => run.limit !== undefined)?.limit;
  return {
    runs,
    status: statusOf(runs),
    verdicts: verdictsOf(runs),
    runMs: runs.reduce((sum, run) => sum + tookMs(run), 0),
    isChampion: runs.some(({ isChampion }) => isChampion),
    ...(result && { result }),
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

const verdictsOf = (runs: readonly LedgerRow[]): string =>
  [...Map.groupBy(runs, rowStatus)].map(([words, group]) => `${group.length} ${words}`).join(', ');

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
 * Returns the result of the best group of repeats. A group whose runs have ended ranks above any
 * other group.
 */
function resultOf(runs: readonly LedgerRow[], decisive: Decisive): ExperimentResult | undefined {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const results = repeatsOf(runs).flatMap((group) => summaryOfRepeats(group, decisive) ?? []);
  const [best] = results.toSorted(
    (a, b) => Number(isGoing(a)) - Number(isGoing(b)) || sign * (a.mean - b.mean),
  );
  return best && { metric: decisive.metric, ...best };
}

export interface RepeatsSummary<Entry> {
  readonly mean: number;
  readonly spread?: number;
  readonly n: number;
  readonly best: number;
  readonly runs: readonly Entry[];
}

const isGoing = ({ runs }: RepeatsSummary<LedgerEntry>): boolean =>
  runs.some(({ verdict }) => verdict === undefined);

/** Groups runs that differ only in chance, such as the seed. */
export const repeatsOf = <Entry extends LedgerEntry>(
  runs: readonly Entry[],
): readonly (readonly Entry[])[] =>
  runs.length < 2 ? [runs] : [...Map.groupBy(runs, repeatKey).values()];

/**
 * Summarizes a group of repeats: the runs that ended well or, if there are none, the runs that have
 * not ended. Returns `undefined` if nothing was measured.
 */
export function summaryOfRepeats<Entry extends LedgerEntry>(
  group: readonly Entry[],
  decisive: Decisive,
): RepeatsSummary<Entry> | undefined {
  const measured = group.flatMap((row) => {
    const value = measuredValue(row, decisive);
    return value === undefined ? [] : [{ row, value }];
  });
  const ended = measured.filter(({ row }) => row.verdict !== undefined);
  const counted = ended.length > 0 ? ended : measured;
  const values = counted.map(({ value }) => value);
  if (values.length === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
  return {
    mean,
    ...(values.length > 1 && { spread }),
    n: values.length,
    best: decisive.direction === 'lower' ? Math.min(...values) : Math.max(...values),
    runs: counted.map(({ row }) => row),
  };
}

/**
 * Returns the best value that a run reached; `undefined` if the run failed, was stopped, or printed
 * a non-finite value.
 */
export function measuredValue(row: LedgerEntry, decisive: Decisive): number | undefined {
  if (row.verdict !== undefined && row.verdict.kind !== 'ok') return undefined;
  const summary = summaryFor(row.metrics, decisive.metric);
  if (summary === undefined || summary.firstNonFinite !== undefined) return undefined;
  const value = decisive.direction === 'lower' ? summary.min : summary.max;
  return Number.isFinite(value) ? value : undefined;
}

const nearForms = new Map<string, string>();
const maxForms = 20_000;

/**
 * Returns a key that is equal for runs that differ only in chance, such as the seed. Cached,
 * because the function is called often with the same commands.
 */
function repeatKey({ command }: LedgerEntry): string {
  const known = nearForms.get(command);
  if (known !== undefined) return known;
  if (nearForms.size >= maxForms) nearForms.clear();
  const { near } = commandForm(command);
  nearForms.set(command, near);
  return near;
}
