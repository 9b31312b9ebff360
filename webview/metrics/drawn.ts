/** Decides which items the charts draw: all of a few, of many only the important ones. */
import type { Item } from './items.ts';

export interface Choice {
  /** Ids of the items that the user has hidden. */
  readonly hidden: readonly string[];
  /** Ids of the items that the user has shown. */
  readonly shown: readonly string[];
  readonly pinned: readonly string[];
  /** Whether the user wants to see all items that are not hidden. */
  readonly isAllDrawn: boolean;
}

/** Number of the best groups that are drawn without a choice of the user. */
export const maxBest = 8;
/** Number of groups up to which all are drawn. */
const maxGroups = 12;

/**
 * Returns the items to draw. Of many groups, these are the champion's, those with active runs,
 * pinned ones and the `maxBest` best, until the user chooses others.
 *
 * @param ranking numbers of the groups, the best first
 */
export function drawnItems(
  items: readonly Item[],
  ranking: readonly number[],
  choice: Choice,
): ReadonlySet<string> {
  const numbers = new Set(items.map(({ group }) => group));
  const isFew = choice.isAllDrawn || numbers.size <= maxGroups;
  const best = new Set(ranking.filter((number) => numbers.has(number)).slice(0, maxBest));
  const [hidden, shown, pinned] = [choice.hidden, choice.shown, choice.pinned].map(
    (ids) => new Set(ids),
  );
  const isDefault = ({ id, group, isChampion, isRunning }: Item): boolean =>
    isFew || isChampion || isRunning || best.has(group) || pinned?.has(id) === true;
  const drawn = items.filter(
    (item) => hidden?.has(item.id) !== true && (shown?.has(item.id) === true || isDefault(item)),
  );
  return new Set(drawn.map(({ id }) => id));
}
