/** A metric that became NaN or infinite. */
import type { MetricRole } from './metricRole.ts';

export interface NonFiniteFacts extends MetricRole {
  /** It is the metric that decides, a loss, or one that the person named: the action counts for it. */
  readonly counts: boolean;
  /** The person named it. */
  readonly isNamed: boolean;
}

/** `serious`: what the action is for; `noticed`: worth a word. */
export type NonFiniteLevel = 'serious' | 'noticed';

/** In a row, of a metric that had no number yet. */
const placeholders = 3;
/** Two numbers in a row: from then on it is measured each time, and what is no number is the measurement. */
const establishedAfter = 2;

/** One series, point by point. */
export class NonFiniteWatch {
  readonly #facts: NonFiniteFacts;
  #isEstablished = false;
  #hasBeenFinite = false;
  /** How many of the last points in a row were numbers (above 0), or none (below). */
  #row = 0;

  constructor(facts: NonFiniteFacts) {
    this.#facts = facts;
  }

  /** The last `points` were all numbers. */
  hasRecovered(points: number): boolean {
    return this.#row >= points;
  }

  /** What to make of this point; `undefined`: nothing. */
  add(value: number): NonFiniteLevel | undefined {
    if (Number.isFinite(value)) {
      this.#row = Math.max(0, this.#row) + 1;
      this.#hasBeenFinite = true;
      if (this.#row >= establishedAfter) this.#isEstablished = true;
      return undefined;
    }
    this.#row = Math.min(0, this.#row) - 1;
    if (this.#facts.counts && (this.#isCertain || this.#isEstablished)) return 'serious';
    return this.#hasBeenFinite || -this.#row >= placeholders ? 'noticed' : undefined;
  }

  /** Computed in each step: its first value counts already. */
  get #isCertain(): boolean {
    const { isNamed, isLoss, isDerived } = this.#facts;
    return isNamed || (isLoss && !isDerived);
  }
}
