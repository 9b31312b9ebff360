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
  const isInPlace =
    before.length === after.length &&
    after.every((item, index) => item === before[index] || isAt(before, index, keyOf(item)));
  if (isInPlace) {
    const set = after.filter((item, index) => item !== before[index]);
    return set.length === 0 ? undefined : { set };
  }
  return movedChange(before, after, keyOf);

  function isAt(items: readonly Item[], index: number, key: ItemKey): boolean {
    const item = items[index];
    return item !== undefined && keyOf(item) === key;
  }
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
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[ends[middle] ?? -1] ?? Infinity) < value) low = middle + 1;
      else high = middle;
    }
    previous.set(index, ends[low - 1]);
    ends[low] = index;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) found.add(at);
  return found;
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
  const stay = before.flatMap((item) => {
    const key = keyOf(item);
    return away.has(key) ? [] : (items.get(key) ?? []);
  });
  const after: Item[] = [];
  let next = 0;
  for (const [index, key] of placed) {
    for (; after.length < index && next < stay.length; next += 1) after.push(stay[next] as Item);
    const item = items.get(key);
    if (item !== undefined) after.push(item);
  }
  return [...after, ...stay.slice(next)];
}
