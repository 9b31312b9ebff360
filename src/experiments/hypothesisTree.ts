/** The tree of experiments: which experiment built on the code of which. */
import type { ExperimentRow } from './ledger.ts';

export interface HypothesisNode {
  readonly row: ExperimentRow;
  /** Number of experiments above it: 0 for one that built on none. */
  readonly depth: number;
  /** Id of the experiment that it built on: `e3`. Omitted for one that built on none. */
  readonly parent?: string;
}

/**
 * Returns the experiments with each one after the one that it built on, otherwise in their order. An
 * experiment of which this was not recorded, or whose parent is not an earlier one, built on none.
 */
export function hypothesisTree(experiments: readonly ExperimentRow[]): readonly HypothesisNode[] {
  const nodes: HypothesisNode[] = [];
  const byParent = Map.groupBy(experiments, parentIn(experiments));
  // Without recursion, because a chain may be as long as the session.
  const open = (byParent.get(undefined) ?? []).map((row): HypothesisNode => ({ row, depth: 0 }));
  open.reverse();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { row, depth } = node;
    nodes.push(node);
    const built = byParent.get(row.id) ?? [];
    open.push(
      ...built.map((row) => ({ row, depth: depth + 1, parent: node?.row.id ?? '' })).toReversed(),
    );
  }
  return nodes;
}

function parentIn(experiments: readonly ExperimentRow[]) {
  const places = new Map(experiments.map(({ id }, index) => [id, index]));
  return ({ id, plan }: ExperimentRow): string | undefined => {
    const parent = plan?.basedOn;
    const place = parent === undefined ? undefined : places.get(parent);
    return place !== undefined && place < (places.get(id) ?? 0) ? parent : undefined;
  };
}
