/** What a user may have meant by a word that is not known. Pure. */

/**
 * The words that `word` is a slip of the finger away from, or that hold it, the nearest first;
 * three at most.
 */
export function nearMatches(word: string, known: Iterable<string>): string[] {
  const asked = word.toLowerCase();
  const reach = Math.max(1, Math.floor(asked.length / 4));
  return [...new Set(known)]
    .map((each) => ({ each, distance: distanceTo(asked, each.toLowerCase()) }))
    .filter(({ distance }) => distance <= reach)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ each }) => each);
}

/** A word that holds the other, as `gpt-5.4-mini` does `5.4-mini`, is as near as can be. */
const distanceTo = (asked: string, known: string): number =>
  asked.length >= 3 && known.includes(asked) ? 0.5 : editDistance(asked, known);

/**
 * How many letters must be added, left out, replaced or swapped with their neighbour to make one of
 * the other.
 */
export function editDistance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, i) =>
    Array.from(other, () => 0).toSpliced(0, 0, i),
  );
  rows[0] = Array.from({ length: other.length + 1 }, (_, j) => j);
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= one.length; i += 1)
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const changed = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (isSame ? 0 : 1),
      );
      (rows[i] ??= [])[j] = isSwapped ? Math.min(changed, at(i - 2, j - 2) + 1) : changed;
    }
  return at(one.length, other.length);
}
