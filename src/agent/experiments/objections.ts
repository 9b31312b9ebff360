/** Compares the agent's decision on an experiment with the measured values. */
import { isOut } from '../../experiments/decisionsInForce.ts';
import type { Decision } from '../../experiments/experiment.ts';
import {
  resultValueText,
  type ExperimentResult,
  type ExperimentRow,
  type Ledger,
} from '../../experiments/ledger.ts';
import { measuredRows } from '../../experiments/ledgerExperiments.ts';
import { repeatStatistics } from '../../experiments/repeatStatistics.ts';
import { seedOf } from '../../experiments/seeds.ts';
import { isOverLimit } from '../../experiments/target/judgeTarget.ts';
import type { Target } from '../../experiments/target/target.ts';
import { noiseOf } from '../../metrics/noise.ts';
import { runName } from '../../runs/run.ts';

export interface Objections {
  /** Texts for the model. The decision is recorded despite them. */
  readonly warnings: readonly string[];
  /** True for a `keep` that further seeds may reverse. */
  readonly isProvisional?: true;
}

const again = 'The decision is recorded; decide again if it was a mistake.';

interface Measured {
  readonly ledger: Ledger;
  readonly target: Target | undefined;
}

/** Returns the objections to a decision on `row`: the experiment, or one of its settings. */
export function objections(
  row: ExperimentRow,
  decision: Decision,
  { ledger, target }: Measured,
): Objections {
  if (decision === 'crash' && row.runs.some(({ verdict }) => verdict?.kind === 'ok'))
    return warning(`One of its runs succeeded, and crash is for experiments that failed. ${again}`);
  if (decision !== 'keep') return { warnings: [] };
  if (row.result === undefined || ledger.decisive === undefined)
    return warning(`It has no result to compare. ${again}`);
  return keepObjections(row.id, row.result, { ledger, target });
}

const warning = (text: string): Objections => ({ warnings: [text] });

function keepObjections(id: string, result: ExperimentResult, measured: Measured): Objections {
  const { ledger } = measured;
  const other = bestOther(result, measured);
  const isEqual = other !== undefined && isSame(result, other.result, ledger);
  const sign = ledger.decisive?.direction === 'lower' ? 1 : -1;
  const gain = other === undefined ? Infinity : sign * (other.result.mean - result.mean);
  const against =
    other && `${resultValueText(result)} against ${resultValueText(other.result)} of ${other.name}`;
  const isNoise = other !== undefined && noiseOf(result, other.result) === 'within';
  if (gain < 0 && !isEqual) {
    const within = isNoise ? ', within the noise' : '';
    return warning(`It is worse than the ${rankOf(other)}${within}: ${against}. ${again}`);
  }
  const equal = isEqual ? [equalText(result, other.name)] : [];
  const doubts = [
    ...lacksOf(result),
    ...(isNoise && !isEqual ? [`the gain is within the noise (${against})`] : []),
  ];
  if (doubts.length === 0) return { warnings: equal };
  const text = `Recorded as provisional: ${doubts.join(', and ')}. More seeds (experiment: ${id}) tell whether it is real; then decide again.`;
  return { warnings: [...equal, text], isProvisional: true };
}

const rankOf = (other: { readonly isReference?: boolean } | undefined): string =>
  other?.isReference ? 'reference' : 'best so far';

const lacksOf = ({ n, lack }: ExperimentResult): string[] => [
  ...(n === 1 ? ['it rests on one run'] : []),
  ...(lack === undefined ? [] : [`${lack} of what the goal asks for`]),
];

const equalText = ({ n }: ExperimentResult, other: string): string =>
  `It measured the same values as ${other}${n > 1 ? ', seed by seed' : ''}: equal, not better.`;

/** Returns whether the results have the same seeds, and the same value with each seed. */
function isSame(one: ExperimentResult, other: ExperimentResult, { decisive }: Ledger): boolean {
  if (decisive === undefined) return false;
  const bySeed = ({ runs }: ExperimentResult): ReadonlyMap<string | undefined, number> =>
    new Map(
      [...Map.groupBy(measuredRows(runs, decisive), ({ row }) => seedOf(row))].map(([seed, of]) => [
        seed,
        repeatStatistics(of).mean,
      ]),
    );
  const [own, others] = [bySeed(one), bySeed(other)];
  if (own.has(undefined) && one.n > 1) return false;
  return own.size === others.size && [...own].every(([seed, value]) => others.get(seed) === value);
}

const runsText = ({ runs }: ExperimentResult): string =>
  runs.map(({ number }) => runName(number)).join(', ');

interface Other {
  readonly name: string;
  readonly result: ExperimentResult;
  readonly isKept: boolean;
  readonly isReference: boolean;
}

/**
 * Returns the best result of other runs that keeps the limits of the target. Kept experiments rank
 * before undecided ones, and these before references.
 */
function bestOther({ runs }: ExperimentResult, { ledger, target }: Measured): Other | undefined {
  const { experiments, decisive } = ledger;
  const sign = decisive?.direction === 'lower' ? 1 : -1;
  const own = new Set(runs.map(({ runId }) => runId));
  return experiments
    .flatMap(({ id, result, decision }): Other[] =>
      result === undefined ||
      (isOut(decision) && decision?.decision !== 'reference') ||
      result.runs.some(({ runId }) => own.has(runId)) ||
      isOverLimit(target, ledger, result.runs)
        ? []
        : [
            {
              name: `${runsText(result)} of experiment ${id}`,
              result,
              isKept: decision?.decision === 'keep',
              isReference: decision?.decision === 'reference',
            },
          ],
    )
    .toSorted(
      (a, b) =>
        Number(b.isKept) - Number(a.isKept) ||
        Number(a.isReference) - Number(b.isReference) ||
        sign * (a.result.mean - b.result.mean),
    )[0];
}
