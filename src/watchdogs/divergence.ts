/**
 * A metric that left its own range for the worse and stays away. The range is that of its best stretch: the best running
 * median there was, and the spread around it. All of these have to be passed, by each of the last points:
 *
 * - so many median absolute deviations, of the best stretch or of the noise as it is now, whichever is more
 * - a quarter of the best value
 * - half of all that was gained since the beginning: what a restart of the learning rate gives back is less
 *
 * What is out of range does not change the range, and a single point is never enough.
 */
import type { Direction } from '../metrics/metric.ts';
import { Latch } from './latch.ts';
import { RunningMedian } from './runningMedian.ts';
import type { DivergencePolicy } from './settings.ts';

const windowPoints = 200;
const firstPoints = 10;
/** The range is looked at anew after so many points. */
const refreshPoints = 10;
/** In range again, in a row. */
const clearPoints = 50;
const leastShareOfBest = 0.25;
const leastShareOfGain = 0.5;
/** The distance of two values of noise is larger than that of one from its median. */
const differenceFactor = Math.SQRT2;

type DivergenceLimits = Pick<DivergencePolicy, 'deviations' | 'warmupPoints' | 'forPoints'>;

/** One series of which less or more is better, point by point. */
export class DivergenceWatch {
  readonly latch = new Latch();
  readonly #limits: DivergenceLimits;
  /** Values are turned so that less is better. */
  readonly #sign: 1 | -1;
  readonly #values = new RunningMedian(windowPoints);
  readonly #differences = new RunningMedian(windowPoints);
  #count = 0;
  #before = Number.NaN;
  #first = Number.NaN;
  #best = Infinity;
  #bestSpread = 0;
  #limit = Infinity;
  #outside = 0;
  #inside = 0;

  constructor(direction: Exclude<Direction, 'none'>, limits: DivergenceLimits) {
    this.#sign = direction === 'lower' ? 1 : -1;
    this.#limits = limits;
  }

  /** The range that it left (its limit, as the metric is measured), when it is to be told. Values that are no number are passed over. */
  add(raw: number): number | undefined {
    if (!Number.isFinite(raw)) return undefined;
    const value = this.#sign * raw;
    this.#count += 1;
    if (this.#count > this.#limits.warmupPoints && value > this.#limit) return this.#leave();
    this.#stay(value);
    return undefined;
  }

  #leave(): number | undefined {
    this.#inside = 0;
    this.#outside += 1;
    if (this.#outside < this.#limits.forPoints) return undefined;
    return this.latch.raise(() => 'out of range') === undefined ? undefined : this.#sign * this.#limit;
  }

  #stay(value: number): void {
    this.#outside = 0;
    this.#inside += 1;
    if (this.#inside >= clearPoints) this.latch.clear();
    this.#values.add(value);
    if (this.#count > 1) this.#differences.add(Math.abs(value - this.#before));
    this.#before = value;
    if (this.#count === firstPoints) this.#first = this.#values.median;
    if (this.#count >= firstPoints && this.#count % refreshPoints === 0) this.#refresh();
  }

  #refresh(): void {
    const { median, deviation } = this.#values;
    if (median < this.#best) {
      this.#best = median;
      this.#bestSpread = deviation;
    }
    const noise = Math.max(this.#bestSpread, this.#differences.median / differenceFactor);
    const far = Math.max(
      this.#limits.deviations * noise,
      leastShareOfBest * Math.abs(this.#best),
      leastShareOfGain * (this.#first - this.#best),
    );
    // Of a series that has only ever had one value, nothing is known.
    this.#limit = far > 0 ? this.#best + far : Infinity;
  }
}
