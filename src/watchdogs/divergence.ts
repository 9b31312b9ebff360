/**
 * Detects a metric that has left its range for the worse and does not come back. The range is
 * derived from the best stretch of the metric: the best running median so far, and the spread
 * around it. A point is out of range when it exceeds the center of the range by the maximum of:
 *
 * - a number of median absolute deviations, of the best stretch or of the current noise
 * - a quarter of the best value
 * - half of the gain since the first values
 *
 * Healthy trainings leave their range for a while too: at a restart of the learning rate, the next
 * task, fold or stage, or when a policy forgets. Therefore, an alarm is raised early only if the
 * metric is far beyond its first values (`farFactor`). Otherwise, it is raised only after an
 * excursion whose length is at least a share of the points before it (`patience`), and not while
 * the metric is coming back. A metric that drifts (a score, a validation loss, a loss that never
 * fell) is compared with its recent values. Points out of range do not change the range. An alarm
 * needs at least `forPoints` points.
 */
import type { Direction } from '../metrics/metric.ts';
import { Excursion } from './excursion.ts';
import { Latch } from './latch.ts';
import { RunningMedian } from './runningMedian.ts';
import type { DivergencePolicy } from './settings.ts';

const windowPoints = 200;
const recentPoints = 30;
const firstPoints = 10;
/** Number of points between two updates of the range. */
const refreshPoints = 10;
/** Number of consecutive points in range that end an alarm. */
const clearPoints = 50;
const minShareOfBest = 0.25;
const minShareOfGain = 0.5;
/**
 * For a metric that is compared with its recent values: minimum distance from these values at which
 * a point is out of range, as a multiple of the recent median.
 */
const minRise = { steady: 2, drifting: 0.5 } as const;
/**
 * A metric is far away when its distance from the best value exceeds this multiple of its gain, its
 * best value or its noise, whichever is largest. A healthy training does not get that far away.
 */
const farFactor = 3;
/**
 * Minimum number of points of an excursion before an alarm, as a share (0 to 1) of the points
 * before the excursion.
 */
const patience = { steady: 1 / 12, drifting: 1 / 4 } as const;
/**
 * Distinguishes a jump of a drifting metric from a drift, after `points` points out of range. After
 * a jump, the metric is at least `factor` times as far from the center of the range as the limit
 * is. After a drift, the range follows the metric.
 */
const sudden = { points: 8, factor: 1.5 } as const;
/**
 * Minimum gain for a metric to be compared with its best values. The gain must exceed both `share`
 * (0 to 1) of the first value and `deviations` times the noise.
 */
const minGain = { share: 0.05, deviations: 3 } as const;
/** Ratio of the distance between two noisy values to the distance of one value from the median. */
const differenceFactor = Math.SQRT2;

type DivergenceLimits = Pick<DivergencePolicy, 'deviations' | 'warmupPoints' | 'forPoints'>;

/**
 * - `steady`: a loss that a healthy training brings down and keeps down
 * - `drifting`: any other metric
 */
export type Course = 'steady' | 'drifting';

export interface JudgedSeries {
  readonly direction: Exclude<Direction, 'none'>;
  readonly course: Course;
}

/** Watches one metric with a direction, point by point. */
export class DivergenceWatch {
  readonly latch = new Latch();
  readonly #limits: DivergenceLimits;
  /** Multiplies values so that less is better. */
  readonly #sign: 1 | -1;
  readonly #course: Course;
  readonly #values = new RunningMedian(windowPoints);
  /** Ring buffer of the last values. */
  readonly #last = new Float64Array(recentPoints);
  #storedCount = 0;
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
   * Adds a value. Returns the limit that the metric has exceeded, in the unit of the metric, when
   * an alarm is due. Ignores NaN and infinite values.
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

  /** Returns true when the metric passed its limit in small steps, which is a drift, not a jump. */
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
    this.#last[this.#storedCount % recentPoints] = value;
    this.#storedCount += 1;
    if (this.#count > 1) this.#differences.add(Math.abs(value - this.#before));
    this.#before = value;
    if (this.#count === firstPoints) this.#first = this.#values.median;
    if (this.#count >= firstPoints && this.#count % refreshPoints === 0) this.#refresh();
  }

  #refresh(): void {
    const { median, deviation } = this.#values;
    const last = this.#last.slice(0, Math.min(this.#storedCount, recentPoints)).sort();
    this.#recent = last[last.length >> 1] ?? Number.NaN;
    if (median < this.#best) {
      this.#best = median;
      this.#bestSpread = deviation;
    }
    this.#noise = Math.max(
      this.#course === 'drifting' ? deviation : this.#bestSpread,
      this.#differences.median / differenceFactor,
    );
    // If all values so far were equal, the metric has no range, so nothing can be out of range.
    const far = this.#far;
    this.#limit = far > 0 ? this.#from + far : Infinity;
  }

  get #hasGained(): boolean {
    return (
      this.#gain > Math.max(minGain.share * Math.abs(this.#first), minGain.deviations * this.#noise)
    );
  }

  /**
   * True when values are compared with the best values of the run, false when they are compared
   * with recent values.
   */
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
