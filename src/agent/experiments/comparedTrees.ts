import { codeKey } from '../../experiments/duplicates.ts';
import type { SessionState } from '../journal/state.ts';

/** Maximum number of earlier code trees that the launched code is compared with. */
const maxTrees = 3;

/** Returns the git trees of the experiments of a session, the newest first. */
export const knownTrees = ({
  experiments,
}: Pick<SessionState, 'experiments'>): readonly string[] => [
  ...new Set([...experiments.values()].reverse().flatMap(({ plan }) => codeKey(plan) ?? [])),
];

/** Returns the trees with which the code of a launch is compared. */
export const comparedTrees = (state: Pick<SessionState, 'experiments'>): readonly string[] =>
  knownTrees(state).slice(0, maxTrees);
