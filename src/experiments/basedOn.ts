/** Determines from which experiment's code the code of a new experiment started. */
import { codeKey, type Attempt } from './duplicates.ts';
import type { CodeState } from './experiment.ts';
import type { PlannedExperiment } from './ledger.ts';

type Code = Pick<Attempt, 'code' | 'sameCodeAs'>;
type Earlier = Pick<PlannedExperiment, 'plan' | 'decisions'>;
type GitCode = Extract<CodeState, { kind: 'git' }>;

/**
 * Returns the id of the earlier experiment with the same code; otherwise, of the one whose code
 * differs in the fewest lines: code that was changed back started from the code before the change.
 * If that is not known, returns the one whose stored commit is checked out in a folder without
 * earlier launches, or the newest of the folder. Returns `undefined` if there is none. `lines`: how
 * many lines of the code differ from earlier trees. `earlier`: oldest first.
 */
export function basedOn(
  own: Code,
  earlier: readonly Earlier[],
  lines: ReadonlyMap<string, number>,
): string | undefined {
  if (own.code.kind !== 'git') return undefined;
  const { code } = own;
  const key = codeKey(own);
  const isCode = (tree: string | undefined) => (one: Earlier) =>
    tree !== undefined && [codeKey(one.plan), treeOf(one.plan.code)].includes(tree);
  const ofCode = (tree: string | undefined) => chosen(earlier.filter(isCode(tree)));
  const isForked = (one: GitCode): boolean => one.commit !== undefined && one.commit === code.head;
  const here = earlier.filter(({ plan }) => inGit(plan.code, (one) => one.repo === code.repo));
  const forked = earlier.filter(({ plan }) => inGit(plan.code, isForked));
  const fork = here.length === 0 ? forked.at(-1) : undefined;
  const found = ofCode(key) ?? fork ?? ofCode(nearest(lines)) ?? here.at(-1) ?? forked.at(-1);
  return found?.plan.id;
}

const treeOf = (code: CodeState): string | undefined =>
  code.kind === 'git' ? code.tree : undefined;

const inGit = (code: CodeState, fits: (code: GitCode) => boolean): boolean =>
  code.kind === 'git' && fits(code);

/** Chooses among experiments with the same code: the newest that was kept, otherwise the first. */
const chosen = (alike: readonly Earlier[]): Earlier | undefined =>
  alike.findLast(({ decisions }) => decisions.at(-1)?.decision === 'keep') ?? alike[0];

/** Returns the tree with the fewest lines that differ; of equal ones, the first. */
function nearest(lines: ReadonlyMap<string, number>): string | undefined {
  const [first] = [...lines].toSorted(([, a], [, b]) => a - b);
  return first?.[0];
}
