/**
 * A fold over a list that only grows. When called again with the same list, the fold adds only the
 * new items.
 */

/**
 * Creates a growing fold. `start` creates the accumulator for a list; `add` changes the accumulator
 * by one item, once per item and in order. Callers must neither store nor change the returned
 * accumulator.
 */
export function growingFold<T, A>(
  start: () => A,
  add: (into: A, item: T) => void,
): (items: readonly T[]) => A {
  const entries = new WeakMap<readonly T[], { readonly value: A; count: number }>();
  return (items) => {
    const found = entries.get(items);
    const entry =
      found !== undefined && found.count <= items.length ? found : { value: start(), count: 0 };
    entries.set(items, entry);
    for (; entry.count < items.length; entry.count += 1) add(entry.value, items[entry.count] as T);
    return entry.value;
  };
}
