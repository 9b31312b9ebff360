/**
 * Returns a generator of random numbers from 0 to below 1. The same seed gives the same numbers on
 * every machine (mulberry32).
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Shuffles the numbers in place (Fisher and Yates). */
export function shuffle(values: Float64Array, random: () => number): void {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const value = values[last] ?? 0;
    values[last] = values[at] ?? 0;
    values[at] = value;
  }
}
