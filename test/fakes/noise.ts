/** Random numbers of one curve. */
import { random } from './random.ts';

export class Noise {
  readonly #random: () => number;
  #last = 0;

  constructor(seed: number) {
    this.#random = random(Math.imul(seed, 2654435761));
    // The first numbers of neighbouring seeds are alike.
    for (let skipped = 0; skipped < 8; skipped += 1) this.#random();
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.#random();
  }

  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }

  /** Noise that remembers: batches of alike data come together. */
  drifting(memory: number): number {
    this.#last = memory * this.#last + Math.sqrt(1 - memory * memory) * this.normal();
    return this.#last;
  }

  /** Student's t with 3 degrees of freedom: now and then far away. */
  heavy(): number {
    const squares = this.normal() ** 2 + this.normal() ** 2 + this.normal() ** 2;
    return this.normal() / Math.sqrt(squares / 3);
  }

  isHit(probability: number): boolean {
    return this.#random() < probability;
  }
}

/** Points of one curve. */
export type Shape = (noise: Noise, points: number) => number[];

/** `share`: of all points, 0 to below 1. */
export const curve = (points: number, at: (index: number, share: number) => number): number[] =>
  Array.from({ length: points }, (_, index) => at(index, index / points));

export function decay(noise: Noise): (share: number) => number {
  const [start, rate] = [noise.between(1, 11), noise.between(3, 30)];
  const end = start * noise.between(0.05, 0.7);
  return (share) => end + (start - end) * Math.exp(-rate * share);
}
