/**
 * Maps of a state that is folded from many events. Each is copied when it changes, so that a state that somebody has seen
 * stays as it was; within one fold nobody sees the states between, and what that fold has made is changed in place.
 */
let unseen: WeakSet<object> | undefined;

/** While `fold` is at work, what `withEntry` has made is changed in place. Not to be nested; `fold` is synchronous. */
export function foldingAtOnce<T>(fold: () => T): T {
  unseen = new WeakSet();
  try {
    return fold();
  } finally {
    unseen = undefined;
  }
}

/** The map with the entry, in its former place where there is one of that key. */
export function withEntry<K, V>(entries: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  if (isUnseen(entries)) return entries.set(key, value);
  const copy = new Map(entries).set(key, value);
  unseen?.add(copy);
  return copy;
}

const isUnseen = <K, V>(entries: ReadonlyMap<K, V>): entries is Map<K, V> => unseen?.has(entries) === true;
