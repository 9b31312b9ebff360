/**
 * Collects the numbers that a model may mention: numbers that were measured by runs or given to the
 * model.
 */
import { formatValue } from '../base/text.ts';
import { commandForm } from '../experiments/commandForm.ts';
import { leadOf } from '../experiments/decisionsInForce.ts';
import type { Decisive, Ledger, LedgerRow } from '../experiments/ledger.ts';
import { measuredValue, resultGroups, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';
import { baselinesOf } from '../experiments/target/judgeTarget.ts';
import type { Target } from '../experiments/target/target.ts';
import type { BriefFacts, RunFacts, SessionFacts } from './facts.ts';

/** Numbers that a model may mention: measured by a run, or given in the goal or in a command. */
export interface KnownNumbers {
  /**
   * Values of runs, means and deviations of their repeats, and numbers of the target that follow from
   * its baseline. Sorted in ascending order.
   */
  readonly measured: Float64Array;
  readonly given: ReadonlySet<number>;
  /** Values of imported results, which Helios did not measure. Sorted in ascending order. */
  readonly imported: Float64Array;
  /** Number of a run → its values, and means and deviations of its repeats. */
  readonly byRun: ReadonlyMap<number, Float64Array>;
  /** Means of the settings, for each metric whose better direction is known. */
  readonly means: readonly (readonly number[])[];
  /** Number of a run → its value of the decisive metric, as text. */
  readonly ofRun: ReadonlyMap<number, string>;
  /** Means of the baselines: settings decided as reference, otherwise the first setting. */
  readonly baselines: readonly number[];
  /** Values of metrics that count the parameters of a model; empty if no run printed any. */
  readonly sizes: ReadonlySet<number>;
  /** Numbers of the runs that have ended, and of those that succeeded. */
  readonly ended: { readonly all: number; readonly ok: number };
  /** Names of options in the commands of the runs, in lower case: `lr`. */
  readonly parameters: ReadonlySet<string>;
}

/** Collects the numbers in a ledger, in the goal, and in the commands of the runs. */
export function knownNumbers(source: KnownSource): KnownNumbers {
  const { ledger, session, runs, target, earlierTargets = [] } = source;
  const targets = [...earlierTargets, ...(target ? [target] : [])];
  const groups = groupNumbers(ledger);
  const byRun = new Map(
    ledger.rows.map(({ number, metrics }) => [
      number,
      sorted([
        ...metrics.flatMap(({ last, best, min, max, mean }) => [last, best, min, max, mean]),
        ...(groups.byRun.get(number) ?? []),
      ]),
    ]),
  );
  const values = [...byRun.values()].flatMap((one) => [...one]);
  const given = [session.goal, ...runs.flatMap(({ command, label }) => [command, label])];
  const texts = [...given, ...ledger.experiments.map(({ command }) => command)];
  return {
    measured: sorted([...values, ...targets.flatMap((one) => thresholdsOf(one, ledger))]),
    byRun,
    means: groups.means,
    baselines: groups.baselines,
    ofRun: new Map(ledger.rows.flatMap((row) => decisiveValue(row, ledger))),
    sizes: new Set(
      ledger.rows.flatMap(({ metrics }) =>
        metrics.flatMap(({ metric, last }) => (isSize(metric) ? [last] : [])),
      ),
    ),
    ended: {
      all: ledger.rows.filter(({ verdict }) => verdict !== undefined).length,
      ok: ledger.rows.filter(({ verdict }) => verdict?.kind === 'ok').length,
    },
    imported: sorted(
      ledger.imported.flatMap(({ value = NaN, memoryGb = NaN, values = {} }) => [
        value,
        memoryGb,
        ...Object.values(values).flat(),
      ]),
    ),
    parameters: new Set(
      ledger.rows.flatMap(({ command }) =>
        [...commandForm(command).settings.keys()].map((name) => name.toLowerCase()),
      ),
    ),
    given: new Set([
      ...texts.flatMap(numbersIn),
      ...targets.flatMap(({ conditions }) => conditions.map(({ value }) => value)),
    ]),
  };
}

/** Returns the numbers that follow from the measured baselines of a target. */
const thresholdsOf = (target: Target, ledger: Ledger): readonly number[] =>
  [...baselinesOf(target, ledger)].map(([condition, { value }]) => condition.value * value);

const isSize = (metric: string): boolean =>
  /^(?:n|num|total|model)?[\s_/.-]*param(?:s|eters)?(?:[\s_/.-]*count)?$/i.test(metric);

function decisiveValue(row: LedgerRow, { decisive }: Ledger): readonly [number, string][] {
  const value = decisive && measuredValue(row, decisive);
  return value === undefined ? [] : [[row.number, formatValue(value)]];
}

const sorted = (values: readonly number[]): Float64Array =>
  Float64Array.from(values.filter(Number.isFinite)).sort();

interface GroupNumbers {
  /** Number of a run → mean and standard deviation of each metric over the repeats of its setting. */
  readonly byRun: ReadonlyMap<number, number[]>;
  readonly means: readonly (readonly number[])[];
  readonly baselines: readonly number[];
}

/** Maximum number of means of a metric whose differences a model may mention. */
const maxMeans = 50;

function groupNumbers({ experiments, rows, decisive: ofGoal }: BriefFacts['ledger']): GroupNumbers {
  const names = new Map(
    rows.flatMap(({ metrics }) => metrics.map((one) => [one.metric, one.direction] as const)),
  );
  const byRun = new Map<number, number[]>();
  const means: number[][] = [];
  const baselines: number[] = [];
  for (const [metric, direction] of names) {
    if (direction === 'none') continue;
    const repeats = ofGoal?.repeats;
    const decisive = { metric, direction, rule: 'last' as const, ...(repeats && { repeats }) };
    const ofMetric: number[] = [];
    const settings = resultGroups(experiments, decisive);
    const references = settings.filter(
      (group) => leadOf(group)?.decision?.decision === 'reference',
    );
    for (const group of references.length > 0 ? references : settings.slice(0, 1))
      baselines.push(summaryOfRepeats(group, decisive)?.mean ?? Number.NaN);
    for (const group of settings) {
      ofMetric.push(summaryOfRepeats(group, decisive)?.mean ?? Number.NaN);
      for (const part of [group, ...partsBySweep(group)]) addNumbers(byRun, part, decisive);
    }
    means.push(ofMetric.filter(Number.isFinite).slice(0, maxMeans));
  }
  return { byRun, means, baselines };
}

/** Adds the mean and the standard deviation of repeats to the numbers of each of their runs. */
function addNumbers(
  byRun: Map<number, number[]>,
  repeats: readonly LedgerRow[],
  decisive: Decisive,
): void {
  const { mean = Number.NaN, spread = Number.NaN } = summaryOfRepeats(repeats, decisive) ?? {};
  for (const { number } of repeats) byRun.set(number, [...(byRun.get(number) ?? []), mean, spread]);
}

/** Returns the repeats of each sweep, because the result of a sweep shows their mean. */
function partsBySweep(group: readonly LedgerRow[]): readonly (readonly LedgerRow[])[] {
  const parts = Map.groupBy(group, ({ sweepId }) => sweepId);
  parts.delete(undefined);
  return [...parts.values()].filter(({ length }) => length < group.length);
}

type KnownSource = Pick<BriefFacts, 'ledger' | 'target' | 'earlierTargets'> & {
  readonly session: Pick<SessionFacts, 'goal'>;
  readonly runs: readonly Pick<RunFacts, 'command' | 'label'>[];
};

const numbersIn = (text: string): number[] =>
  (text.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? [])
    .map(Number)
    .filter(Number.isFinite);
