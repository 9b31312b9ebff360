/**
 * Detects a metric that became NaN or infinite. Healthy runs print such values too: progress bars
 * that show `loss=nan` until the first mean (or forever, if the framework does not know the loss),
 * the best value before the first one, the mean of no episode, a gradient under a scaled loss, a
 * part that is not computed in each step. Therefore, a metric that never was a number leads only to
 * a warning, and a metric that is not computed in each step must stay non-finite for several
 * values.
 */
import type { MetricRole } from './metricRole.ts';

export interface NonFiniteFacts extends MetricRole {
  /**
   * True if the configured action applies to the metric: it decides which run is best, is a loss,
   * or was named by the user.
   */
  readonly counts: boolean;
  /**
   * True if the user named the metric in the settings. The first non-finite value then leads to the
   * configured action.
   */
  readonly isNamed: boolean;
}

/**
 * - `serious`: leads to the configured action
 * - `noticed`: leads to a warning
 */
export type NonFiniteLevel = 'serious' | 'noticed';

/**
 * Number of consecutive finite values after which the metric is considered to be measured in each
 * step.
 */
const establishedAfter = 2;
/**
 * Number of consecutive non-finite values that lead to a warning, after the metric was a number.
 */
const noticedAfter = 3;
/**
 * Number of consecutive non-finite values that lead to a warning if the metric never was a number.
 * `ofEachStep`: for a loss that is computed in each step. `other`: for any other metric.
 */
const neverANumber = { ofEachStep: 5, other: 50 } as const;
/**
 * For a metric that is not computed in each step: minimum number of consecutive non-finite values
 * for the configured action. The minimum is `points` or, if larger, `times` the length of the
 * longest gap so far that ended with a number.
 */
const serious = { points: 5, times: 3 } as const;

/** Watches one metric, point by point. */
export class NonFiniteWatch {
  readonly #facts: NonFiniteFacts;
  #isEstablished = false;
  #hasBeenFinite = false;
  /**
   * Length of the current sequence of similar values: positive for numbers, negative for non-finite
   * values.
   */
  #row = 0;
  /** Length of the longest sequence of non-finite values that was followed by a number. */
  #longestGap = 0;

  constructor(facts: NonFiniteFacts) {
    this.#facts = facts;
  }

  get hasBeenFinite(): boolean {
    return this.#hasBeenFinite;
  }

  /** Returns whether the last `points` values were all numbers. */
  hasRecovered(points: number): boolean {
    return this.#row >= points;
  }

  /** Adds a value. Returns the level of the problem; `undefined` if there is none. */
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

  /** Whether the metric is a loss of the training itself. */
  get #isOfEachStep(): boolean {
    const { isSteadyLoss, isDerived } = this.#facts;
    return isSteadyLoss && !isDerived;
  }
}
