/**
 * A fold over a list that only grows: called again with the same list, it continues where it
 * stopped.
 */

/**
 * `start` creates the accumulator of a list, `add` changes it by one item. Each item is added once,
 * in order. The result belongs to the fold: do not keep or change it.
 */
export function growingFold<T, A>(
  start: () => A,
  add: (into: A, item: T) => void,
): (items: readonly T[]) => A {
  const known = new WeakMap<readonly T[], { readonly value: A; count: number }>();
  return (items) => {
    const found = known.get(items);
    const entry =
      found !== undefined && found.count <= items.length ? found : { value: start(), count: 0 };
    known.set(items, entry);
    for (; entry.count < items.length; entry.count += 1) add(entry.value, items[entry.count] as T);
    return entry.value;
  };
}
