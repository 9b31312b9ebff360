/** Suggests known words for an unknown word. */

/**
 * Returns at most three known words, the nearest first: words with a small edit distance to `word`,
 * and words that contain `word`.
 */
export function nearMatches(word: string, candidates: Iterable<string>): string[] {
  const query = word.toLowerCase();
  const reach = Math.max(1, Math.floor(query.length / 4));
  return [...new Set(candidates)]
    .filter((each) => query.length - each.length <= reach)
    .map((each) => ({ each, distance: distanceTo(query, each.toLowerCase()) }))
    .filter(({ distance }) => distance <= reach)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ each }) => each);
}

/**
 * Returns the edit distance, or 0.5 if `candidate` contains `query`, as `gpt-5.4-mini` contains
 * `5.4-mini`. Such a word thus ranks before words with other letters.
 */
const distanceTo = (query: string, candidate: string): number =>
  query.length >= 3 && candidate.includes(query) ? 0.5 : editDistance(query, candidate);

/**
 * Returns the edit distance: how many letters to add, remove, replace or swap with their neighbour
 * to turn one word into the other.
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
