/**
 * Changes maps and lists of a state. Normally each change copies the collection, so that earlier
 * states never change. Within `foldingAtOnce`, collections that the fold created are changed in
 * place, because no other code has a reference to them yet.
 */
let createdByFold: WeakSet<object> | undefined;

/**
 * Runs `fold`. Collections created by `fold` are changed in place until `fold` returns. `fold` must
 * be synchronous and must not call this function.
 */
export function foldingAtOnce<T>(fold: () => T): T {
  createdByFold = new WeakSet();
  try {
    return fold();
  } finally {
    createdByFold = undefined;
  }
}

/** Returns the map with the entry added or replaced. A replaced entry keeps its position. */
export const withEntry = <K, V>(entries: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  changeable(entries, (map) => new Map(map)).set(key, value);

/**
 * Returns the list with the item set at `index`. `index` must not exceed the length of the list.
 */
export function withItem<T>(items: readonly T[], index: number, item: T): readonly T[] {
  const list = changeable(items, (list) => [...list]);
  list[index] = item;
  return list;
}

/** Returns the value itself if the current fold created the value, else a copy. */
function changeable<Shown extends object, Own extends Shown>(
  value: Shown,
  copy: (value: Shown) => Own,
): Own {
  if (createdByFold?.has(value)) return value as Own;
  const created = copy(value);
  createdByFold?.add(created);
  return created;
}

/** Changes the entry with this key. Returns the map unchanged when the key does not exist. */
export function withChanged<V>(
  entries: ReadonlyMap<string, V>,
  id: string,
  change: (entry: V) => V,
): ReadonlyMap<string, V> {
  const entry = entries.get(id);
  return entry === undefined ? entries : withEntry(entries, id, change(entry));
}
