/** The same numbers in [0, 1) for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The bytes in chunks of random lengths, some empty. */
export function randomCuts(bytes: Uint8Array, random: () => number, longest = 12): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Math.floor(random() * longest);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
