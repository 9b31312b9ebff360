/** Columns of the table of results that compare each setting with the target. */
import type { Decisive, LedgerRow } from '../experiments/ledger.ts';
import { measuredRows } from '../experiments/ledgerExperiments.ts';
import type { MeasuredRow } from '../experiments/repeatStatistics.ts';
import {
  judgeSettings,
  type ConditionResult,
  type GroupResult,
} from '../experiments/target/judgeTarget.ts';
import {
  conditionText,
  isLowerBetter,
  ruleFor,
  type Condition,
  type Target,
} from '../experiments/target/target.ts';

/** A column for a metric other than the one that ranks, with the values of the runs of a setting. */
export interface MetricColumn {
  readonly metric: string;
  readonly valuesOf: (runs: readonly LedgerRow[]) => readonly MeasuredRow[];
}

/** Returns a column for each metric in the target's conditions, except the decisive metric. */
export function conditionColumns(
  target: Target | undefined,
  { metric: decisive }: Decisive,
): readonly MetricColumn[] {
  const others = (target?.conditions ?? []).filter(({ metric }) => metric !== decisive);
  return [...Map.groupBy(others, ({ metric }) => metric).values()].flatMap(([condition]) =>
    condition === undefined
      ? []
      : {
          metric: condition.metric,
          valuesOf: (runs) =>
            valuesOf(runs, condition, target ? ruleFor(condition, target) : 'last'),
        },
  );
}

function valuesOf(
  runs: readonly LedgerRow[],
  { metric, comparator }: Condition,
  rule: Target['rule'],
): readonly MeasuredRow[] {
  const direction = isLowerBetter(comparator) ? 'lower' : 'higher';
  return measuredRows(runs, { metric, direction, rule });
}

/**
 * Returns how each setting, given by its runs, compares with the target: `met`, `not reached` or
 * `breaks parameters <= 20000`. Returns `undefined` if the target has no conditions.
 */
export function targetTexts(
  target: Target | undefined,
  experiments: Parameters<typeof judgeSettings>[1]['experiments'],
  settings: readonly (readonly LedgerRow[])[],
): readonly string[] | undefined {
  if (target === undefined || target.conditions.length === 0) return undefined;
  const judged = new Map(
    judgeSettings(target, { experiments }).flatMap((group) =>
      group.runs.map(({ runId }) => [runId, group] as const),
    ),
  );
  return settings.map(([run]) => {
    const group = run && judged.get(run.runId);
    return group === undefined ? 'not judged' : textOf(group, target.objective.metric);
  });
}

function textOf({ isMet, conditions }: GroupResult, objective: string): string {
  if (isMet) return 'met';
  const broken = conditions.filter(({ isBroken }) => isBroken);
  const limits = broken.filter(({ condition }) => condition.metric !== objective);
  if (limits.length > 0)
    return `breaks ${limits.map(({ condition }) => conditionText(condition)).join(' and ')}`;
  if (broken.length > 0) return 'not reached';
  const open = conditions.filter((one) => !one.isMet);
  return [...new Set(open.map((one) => openText(one, objective)))].join('; ');
}

/** Returns why a condition is neither met nor broken. */
function openText({ condition, value }: ConditionResult, objective: string): string {
  const { metric, seeds, seedCount } = condition;
  if (value !== undefined) return `${seeds?.length ?? seedCount ?? 2} seeds are needed`;
  return metric === objective ? 'not compared' : `${metric} not read`;
}
