/** Computes the line of the best value so far, which goes from setting to setting. */
import { isBetter } from './champion.ts';
import { isOut } from './decisionsInForce.ts';
import type { Decisive, Ledger, LedgerRow } from './ledger.ts';
import { summaryOfRepeats } from './ledgerExperiments.ts';
import { settingGroups } from './repeats.ts';
import { breachesOf } from './target/judgeTarget.ts';
import type { Target } from './target/target.ts';

/** The best value after a run. */
export interface BestAfter {
  /** Number of the run. */
  readonly number: number;
  readonly value: number;
}

/** The runs of a session, and its target. */
export interface Measured {
  readonly target?: Target | undefined;
  readonly ledger: Pick<Ledger, 'decisive' | 'experiments'>;
}

/**
 * Returns the best value after each run that changed it, in the order of the runs. The value of a
 * setting is the mean of its repeats so far, and those of the goal must all be measured. Leaves out
 * settings that were discarded, failed, or break a limit of the goal.
 */
export function bestSoFar({ target, ledger }: Measured): BestAfter[] {
  const { decisive, experiments } = ledger;
  if (decisive === undefined) return [];
  const breaches = breachesOf(target, ledger);
  const settings = settingGroups(experiments).map((runs) =>
    runs
      .filter((row) => isAdmissible(row) && !breaches.has(row.number))
      .toSorted((a, b) => a.number - b.number),
  );
  const changes = settings.flatMap((runs, setting) =>
    runs.map(({ number }, index) => ({
      number,
      setting,
      value: meanOf(runs.slice(0, index + 1), decisive),
    })),
  );
  const values = new Map<number, number>();
  const steps: BestAfter[] = [];
  for (const { number, setting, value } of changes.toSorted((a, b) => a.number - b.number)) {
    if (value === undefined) continue;
    const [best, before] = [steps.at(-1)?.value, values.get(setting)];
    values.set(setting, value);
    const isNew = best === undefined || isBetter(value, best, decisive);
    if (isNew) steps.push({ number, value });
    else if (before === best && value !== best)
      steps.push({ number, value: bestOf(values, decisive) });
  }
  return steps;
}

const bestOf = (values: ReadonlyMap<number, number>, decisive: Decisive): number =>
  [...values.values()].reduce((a, b) => (isBetter(b, a, decisive) ? b : a));

const isAdmissible = ({ decision }: LedgerRow): boolean =>
  !isOut(decision) || decision?.decision === 'reference';

function meanOf(runs: readonly LedgerRow[], decisive: Decisive): number | undefined {
  const { mean, lack } = summaryOfRepeats(runs, decisive) ?? {};
  return mean === undefined || lack !== undefined || !Number.isFinite(mean) ? undefined : mean;
}
