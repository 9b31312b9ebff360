/**
 * Maps and lists of a state that is folded from many events. Each is copied on change, so that a
 * published state never changes. Intermediate states of one fold are not published, so the
 * collections that this fold created are changed in place.
 */
let unseen: WeakSet<object> | undefined;

/**
 * Runs `fold`, which may change in place the collections that it created. Not reentrant; `fold`
 * must be synchronous.
 */
export function foldingAtOnce<T>(fold: () => T): T {
  unseen = new WeakSet();
  try {
    return fold();
  } finally {
    unseen = undefined;
  }
}

/** Returns the map with the entry. An existing key keeps its position. */
export const withEntry = <K, V>(entries: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  changeable(entries, (map) => new Map(map)).set(key, value);

/** Returns the list with the item at `index`, which must not exceed its length. */
export function withItem<T>(items: readonly T[], index: number, item: T): readonly T[] {
  const list = changeable(items, (list) => [...list]);
  list[index] = item;
  return list;
}

/** Returns the value itself if the current fold created it, else a copy. */
function changeable<Shown extends object, Own extends Shown>(
  value: Shown,
  copy: (value: Shown) => Own,
): Own {
  if (unseen?.has(value)) return value as Own;
  const own = copy(value);
  unseen?.add(own);
  return own;
}
