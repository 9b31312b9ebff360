/**
 * A metric that left its own range for the worse and stays away. The range is that of its best
 * stretch: the best running median there was, and the spread around it. Each of the last points has
 * to pass all of these:
 *
 * - so many median absolute deviations, of the best stretch or of the noise as it is now, whichever
 *   is more
 * - a quarter of the best value
 * - half of all that was gained since the beginning
 *
 * Healthy trainings do that, too, for a while: a restart of the learning rate, the next task, fold
 * or stage, a policy that forgets. So it is told at once only when it is far beyond where it began;
 * else after an eighth of the time before, and not while it comes back. What only drifts (a score,
 * a validation loss, a loss that never fell) is compared with where it was shortly before. What is
 * out of range does not change the range, and a single point is never enough.
 */
import type { Direction } from '../metrics/metric.ts';
import { Excursion } from './excursion.ts';
import { Latch } from './latch.ts';
import { RunningMedian } from './runningMedian.ts';
import type { DivergencePolicy } from './settings.ts';

const windowPoints = 200;
const recentPoints = 30;
const firstPoints = 10;
/** The range is looked at anew after so many points. */
const refreshPoints = 10;
/** In range again, in a row. */
const clearPoints = 50;
const minShareOfBest = 0.25;
const minShareOfGain = 0.5;
/** Of what is compared with where it was shortly before: so many times as much again. */
const minRise = { steady: 2, drifting: 0.5 } as const;
/**
 * So many times what was gained, or as the best value is: nothing that began well comes so far by
 * itself.
 */
const farFactor = 3;
/** Out of range for this share of the points before. */
const patience = { steady: 1 / 12, drifting: 1 / 4 } as const;
/** What only drifts is this much beyond its range so soon after it left it, where it is a jump. */
const sudden = { points: 8, factor: 1.5 } as const;
/** Of the first value, and of its noise: less than this is no gain. */
const minGain = { share: 0.05, deviations: 3 } as const;
/** The distance of two values of noise is larger than that of one from its median. */
const differenceFactor = Math.SQRT2;

type DivergenceLimits = Pick<DivergencePolicy, 'deviations' | 'warmupPoints' | 'forPoints'>;

/**
 * - `steady`: a loss that a healthy training brings down, and keeps down · `drifting`: any other
 */
export type Course = 'steady' | 'drifting';

export interface JudgedSeries {
  readonly direction: Exclude<Direction, 'none'>;
  readonly course: Course;
}

/** One series of which less or more is better, point by point. */
export class DivergenceWatch {
  readonly latch = new Latch();
  readonly #limits: DivergenceLimits;
  /** Values are turned so that less is better. */
  readonly #sign: 1 | -1;
  readonly #course: Course;
  readonly #values = new RunningMedian(windowPoints);
  /** The last values, in any order. */
  readonly #last = new Float64Array(recentPoints);
  #kept = 0;
  #recent = Number.NaN;
  readonly #differences = new RunningMedian(windowPoints);
  #count = 0;
  #before = Number.NaN;
  #first = Number.NaN;
  #best = Infinity;
  #bestSpread = 0;
  #noise = 0;
  #limit = Infinity;
  #outside: Excursion | undefined;
  #inside = 0;

  constructor({ direction, course }: JudgedSeries, limits: DivergenceLimits) {
    this.#sign = direction === 'lower' ? 1 : -1;
    this.#course = course;
    this.#limits = limits;
  }

  /**
   * The range that it left (its limit, as the metric is measured), when it is to be told. Values
   * that are no number are passed over.
   */
  add(raw: number): number | undefined {
    if (!Number.isFinite(raw)) return undefined;
    const value = this.#sign * raw;
    this.#count += 1;
    if (this.#count > this.#limits.warmupPoints && value > this.#limit) return this.#leave(value);
    this.#stay(value);
    return undefined;
  }

  #leave(value: number): number | undefined {
    this.#inside = 0;
    if (this.latch.holding !== undefined) return undefined;
    this.#outside ??= new Excursion();
    this.#outside.add(value);
    if (this.#hasDrifted(this.#outside)) return this.#follow(this.#outside);
    if (!this.#isAway(this.#outside)) return undefined;
    this.latch.raise(() => 'out of range');
    return this.#sign * this.#limit;
  }

  #isAway(outside: Excursion): boolean {
    const { points } = outside;
    if (points < this.#limits.forPoints) return false;
    if (this.#course === 'steady' && outside.level > this.#farAway) return true;
    const before = this.#count - points;
    return points >= patience[this.#course] * before && !outside.isComingBack(this.#best);
  }

  /** It went over its limit in small steps: that is a drift, and no jump. */
  #hasDrifted({ points, level }: Excursion): boolean {
    return (
      this.#course === 'drifting' &&
      points === sudden.points &&
      level < this.#from + sudden.factor * this.#far
    );
  }

  #follow({ values }: Excursion): undefined {
    for (const value of values) this.#stay(value);
    this.#refresh();
  }

  get #gain(): number {
    return this.#first - this.#best;
  }

  get #farAway(): number {
    return this.#best + farFactor * Math.max(this.#gain, Math.abs(this.#best), this.#noise);
  }

  #stay(value: number): void {
    this.#outside = undefined;
    this.#inside += 1;
    if (this.#inside >= clearPoints) this.latch.clear();
    this.#values.add(value);
    this.#last[this.#kept % recentPoints] = value;
    this.#kept += 1;
    if (this.#count > 1) this.#differences.add(Math.abs(value - this.#before));
    this.#before = value;
    if (this.#count === firstPoints) this.#first = this.#values.median;
    if (this.#count >= firstPoints && this.#count % refreshPoints === 0) this.#refresh();
  }

  #refresh(): void {
    const { median, deviation } = this.#values;
    const last = this.#last.slice(0, Math.min(this.#kept, recentPoints)).sort();
    this.#recent = last[last.length >> 1] ?? Number.NaN;
    if (median < this.#best) {
      this.#best = median;
      this.#bestSpread = deviation;
    }
    this.#noise = Math.max(
      this.#course === 'drifting' ? deviation : this.#bestSpread,
      this.#differences.median / differenceFactor,
    );
    // Of a series that has only ever had one value, nothing is known.
    const far = this.#far;
    this.#limit = far > 0 ? this.#from + far : Infinity;
  }

  get #hasGained(): boolean {
    return (
      this.#gain > Math.max(minGain.share * Math.abs(this.#first), minGain.deviations * this.#noise)
    );
  }

  /** It is compared with the best that it ever was. */
  get #isAnchored(): boolean {
    return this.#course === 'steady' && this.#hasGained;
  }

  get #from(): number {
    return this.#isAnchored ? this.#best : Math.max(this.#best, this.#recent);
  }

  get #far(): number {
    return Math.max(
      this.#limits.deviations * this.#noise,
      minShareOfBest * Math.abs(this.#best),
      minShareOfGain * this.#gain,
      this.#isAnchored ? 0 : minRise[this.#course] * Math.abs(this.#recent),
    );
  }
}
