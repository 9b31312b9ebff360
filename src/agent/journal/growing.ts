/**
 * Maps and lists of a state that is folded from many events. Each is copied when it changes, so
 * that a state that somebody has seen stays as it was; within one fold nobody sees the states
 * between, and what that fold has made is changed in place.
 */
let unseen: WeakSet<object> | undefined;

/**
 * While `fold` is at work, what it has made is changed in place. Not to be nested; `fold` is
 * synchronous.
 */
export function foldingAtOnce<T>(fold: () => T): T {
  unseen = new WeakSet();
  try {
    return fold();
  } finally {
    unseen = undefined;
  }
}

/** The map with the entry, in its former place where there is one of that key. */
export const withEntry = <K, V>(entries: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  changeable(entries, (map) => new Map(map)).set(key, value);

/** The list with the item at `index`, which is its length at most. */
export function withItem<T>(items: readonly T[], index: number, item: T): readonly T[] {
  const list = changeable(items, (list) => [...list]);
  list[index] = item;
  return list;
}

/** The value itself where only this fold knows it, else a copy. */
function changeable<Shown extends object, Own extends Shown>(
  value: Shown,
  copy: (value: Shown) => Own,
): Own {
  if (unseen?.has(value)) return value as Own;
  const own = copy(value);
  unseen?.add(own);
  return own;
}
