/** A small generator of its own, so that a failure can be looked at again. 0 ≤ x < 1. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The seed of a test that chooses at random: `variable` of the environment repeats a run that
 * failed. It is printed, so that a failure says how to repeat it.
 */
export function seedOf(variable: string, usual: number): number {
  const seed = Number(process.env[variable] ?? usual);
  console.info(`      seed ${seed} (${variable})`);
  return seed;
}
