import { codeKey, type Attempt } from '../../experiments/duplicates.ts';
import { basedOn } from '../../experiments/basedOn.ts';
import { differingLines } from '../../experiments/codeDifference.ts';
import type { PlannedExperiment } from '../../experiments/ledger.ts';
import type { SessionState } from '../journal/state.ts';

/** Numbers of the newest code trees, and of those that were kept, to compare the launched code with. */
const maxNewest = 3;
const maxKept = 2;

/** Returns the git trees of the experiments of a session, the newest first. */
export const knownTrees = ({ experiments }: Pick<SessionState, 'experiments'>): readonly string[] =>
  treesOf([...experiments.values()].reverse());

const treesOf = (newestFirst: readonly PlannedExperiment[]): readonly string[] => [
  ...new Set(newestFirst.flatMap(({ plan }) => codeKey(plan) ?? [])),
];

const isKept = ({ decisions }: PlannedExperiment): boolean => decisions.at(-1)?.decision === 'keep';

/** Returns the trees with which the code of a launch is compared. */
export const comparedTrees = (state: Pick<SessionState, 'experiments'>): readonly string[] => {
  const kept = treesOf([...state.experiments.values()].reverse().filter(isKept));
  return [...new Set([...knownTrees(state).slice(0, maxNewest), ...kept.slice(0, maxKept)])];
};

/**
 * Returns the experiment from whose code the launched code started, if any. `differences`: how the
 * code differs from the compared trees.
 */
export const startOf = (
  { experiments }: Pick<SessionState, 'experiments'>,
  own: Pick<Attempt, 'code' | 'sameCodeAs'>,
  differences = '',
): string | undefined => basedOn(own, [...experiments.values()], differingLines(differences));
