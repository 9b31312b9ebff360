/**
 * A metric that became NaN or infinite. Healthy runs print such values, too: progress bars that
 * show `loss=nan` until the first mean (or, where the framework does not know the loss, for ever),
 * the best value before the first one, the mean of no episode, a gradient under a scaled loss, a
 * part that is not computed in each step. So what never was a number is only told of, and what is
 * not computed in each step has to stay away.
 */
import type { MetricRole } from './metricRole.ts';

export interface NonFiniteFacts extends MetricRole {
  /**
   * It is the metric that decides, a loss, or one that the user named: the action counts for it.
   */
  readonly counts: boolean;
  /** The user named it: its first value counts already. */
  readonly isNamed: boolean;
}

/** `serious`: what the action is for; `noticed`: worth a word. */
export type NonFiniteLevel = 'serious' | 'noticed';

/** Two numbers in a row: it is measured each time. */
const establishedAfter = 2;
/** In a row, after numbers. */
const noticedAfter = 3;
/** In a row, of what never was a number. */
const neverANumber = { ofEachStep: 5, other: 50 } as const;
/**
 * In a row, of what is not computed in each step; and so many times as many as numbers ever came
 * after.
 */
const serious = { points: 5, times: 3 } as const;

/** One series, point by point. */
export class NonFiniteWatch {
  readonly #facts: NonFiniteFacts;
  #isEstablished = false;
  #hasBeenFinite = false;
  /** How many of the last points in a row were numbers (above 0), or none (below). */
  #row = 0;
  /** The longest row of none that numbers came after. */
  #longestGap = 0;

  constructor(facts: NonFiniteFacts) {
    this.#facts = facts;
  }

  get hasBeenFinite(): boolean {
    return this.#hasBeenFinite;
  }

  /** The last `points` were all numbers. */
  hasRecovered(points: number): boolean {
    return this.#row >= points;
  }

  /** What to make of this point; `undefined`: nothing. */
  add(value: number): NonFiniteLevel | undefined {
    if (Number.isFinite(value)) {
      this.#takeNumber();
      return undefined;
    }
    this.#row = Math.min(0, this.#row) - 1;
    if (this.#isSerious) return 'serious';
    return -this.#row >= this.#noticedAfter ? 'noticed' : undefined;
  }

  #takeNumber(): void {
    if (this.#hasBeenFinite) this.#longestGap = Math.max(this.#longestGap, -this.#row);
    this.#row = Math.max(0, this.#row) + 1;
    this.#hasBeenFinite = true;
    if (this.#row >= establishedAfter) this.#isEstablished = true;
  }

  get #isSerious(): boolean {
    const { counts, isNamed } = this.#facts;
    if (isNamed) return true;
    if (!counts || !this.#hasBeenFinite) return false;
    const needed = Math.max(serious.points, serious.times * this.#longestGap);
    return this.#isOfEachStep || (this.#isEstablished && -this.#row >= needed);
  }

  get #noticedAfter(): number {
    if (!this.#hasBeenFinite)
      return this.#isOfEachStep ? neverANumber.ofEachStep : neverANumber.other;
    const isAtOnce = this.#isOfEachStep || (this.#facts.counts && this.#isEstablished);
    return isAtOnce ? 1 : noticedAfter;
  }

  /** A loss of the training itself. */
  get #isOfEachStep(): boolean {
    const { isSteadyLoss, isDerived } = this.#facts;
    return isSteadyLoss && !isDerived;
  }
}
