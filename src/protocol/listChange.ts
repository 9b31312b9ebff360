/** Changes of lists whose items have keys, so that only what has changed is sent. */

type Key = string | number;

/** The change from one list to another. Omitted parts are empty. */
export interface ListChange<Item, ItemKey extends Key> {
  /** Keys of items that are gone. */
  readonly removed?: readonly ItemKey[];
  /** New and changed items, in any order. */
  readonly set?: readonly Item[];
  /** Places of new and moved items in the new list, in ascending order. */
  readonly placed?: readonly (readonly [index: number, key: ItemKey])[];
}

/**
 * Returns the change; `undefined` if there is none. Items are compared by identity. Keys must be
 * unique in each list. Of items that changed their order, as few as possible are placed.
 */
export function listChange<Item, ItemKey extends Key>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => ItemKey,
): ListChange<Item, ItemKey> | undefined {
  if (before === after) return undefined;
  const isInPlace = after.every((item, index) => {
    const earlier = before[index];
    return item === earlier || (earlier !== undefined && keyOf(earlier) === keyOf(item));
  });
  if (!isInPlace || before.length !== after.length) return movedChange(before, after, keyOf);
  const set = after.filter((item, index) => item !== before[index]);
  return set.length === 0 ? undefined : { set };
}

function movedChange<Item, ItemKey extends Key>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => ItemKey,
): ListChange<Item, ItemKey> {
  const places = new Map(before.map((item, index) => [keyOf(item), index] as const));
  const keys = after.map(keyOf);
  const known = new Set(keys);
  const removed = [...places.keys()].filter((key) => !known.has(key));
  const set = after.filter((item, index) => {
    const place = places.get(keys[index] as ItemKey);
    return place === undefined || before[place] !== item;
  });
  const stay = longestAscending(keys.map((key) => places.get(key) ?? Number.NaN));
  const placed = keys.flatMap((key, index) => (stay.has(index) ? [] : [[index, key] as const]));
  return {
    ...(removed.length > 0 && { removed }),
    ...(set.length > 0 && { set }),
    ...(placed.length > 0 && { placed }),
  };
}

/** Returns the indices of a longest ascending subsequence; NaN is never part of it. */
function longestAscending(values: readonly number[]): ReadonlySet<number> {
  /** Index of the lowest last value of the subsequences of each length. */
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const [index, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    const length = firstAtLeast(ends, values, value);
    previous.set(index, ends[length - 1]);
    ends[length] = index;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) found.add(at);
  return found;
}

/** Returns the position in `ends` of the first index whose value is not below `value`. */
function firstAtLeast(ends: readonly number[], values: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[ends[middle] ?? -1] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the list after the change. */
export function changedList<Item, ItemKey extends Key>(
  before: readonly Item[],
  change: ListChange<Item, ItemKey> | undefined,
  keyOf: (item: Item) => ItemKey,
): readonly Item[] {
  if (change === undefined) return before;
  const { removed = [], set = [], placed = [] } = change;
  const items = new Map(before.map((item) => [keyOf(item), item]));
  for (const item of set) items.set(keyOf(item), item);
  const away = new Set([...removed, ...placed.map(([, key]) => key)]);
  const itemOf = (key: ItemKey): Item[] => {
    const item = items.get(key);
    return item === undefined ? [] : [item];
  };
  const stay = before.map(keyOf).flatMap((key) => (away.has(key) ? [] : itemOf(key)));
  return merged(
    stay,
    placed.flatMap(([index, key]) => itemOf(key).map((item) => ({ index, item }))),
  );
}

/** Returns the items with those of `placed` at their indices, which ascend. */
function merged<Item>(
  items: readonly Item[],
  placed: readonly { readonly index: number; readonly item: Item }[],
): readonly Item[] {
  const all: Item[] = [];
  let next = 0;
  for (const { index, item } of placed) {
    for (; all.length < index && next < items.length; next += 1) all.push(items[next] as Item);
    all.push(item);
  }
  return [...all, ...items.slice(next)];
}
