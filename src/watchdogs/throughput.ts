/**
 * Detects a run that became much slower. Measures the speed by a metric such as `tokens/s` or,
 * without one, by the number of steps per second.
 */
import { formatValue } from '../base/text.ts';
import type { MetricPoint } from '../metrics/metric.ts';
import { Latch } from './latch.ts';
import { RunningMedian } from './runningMedian.ts';

const windowRates = 101;
/** Number of rates needed before the usual speed is known. */
const minRates = 20;
/**
 * Minimum number of slow stretches for an alarm: a single slow stretch may be an evaluation or a
 * checkpoint.
 */
const minSlow = 3;
const clearRates = 3;
/**
 * A slow stretch is reported only if it lasts this multiple of the longest slow stretch that ended
 * by itself, such as an evaluation in each epoch.
 */
const longerFactor = 2;
/**
 * Minimum length of a stretch: output arrives in bursts, so the speed in a shorter stretch is not
 * meaningful.
 */
const minStretchMs = 10_000;

export interface ThroughputLimits {
  readonly belowPercent: number;
  readonly minutes: number;
}

interface Rate {
  readonly perSecond: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export class ThroughputWatch {
  readonly latch = new Latch();
  readonly #limits: ThroughputLimits;
  readonly #usual = new RunningMedian(windowRates);
  /**
   * The metric that gives the speed: a metric of speed or, without one, the first metric with
   * steps.
   */
  #lead: { readonly metric: string; readonly isSpeed: boolean } | undefined;
  #anchor: { readonly step: number; readonly timeMs: number } | undefined;
  #slow: { readonly sinceMs: number; untilMs: number; count: number } | undefined;
  #longestSlowMs = 0;
  #quick = 0;

  constructor(limits: ThroughputLimits) {
    this.#limits = limits;
  }

  /** Adds a point. Returns the text of the alarm if one is to be raised. */
  add(point: MetricPoint, isSpeed: boolean): string | undefined {
    if (!this.#follows(point, isSpeed)) return undefined;
    const rate = this.#rateOf(point, isSpeed);
    return rate && this.#judge(rate, point);
  }

  #follows({ metric, step }: MetricPoint, isSpeed: boolean): boolean {
    if (
      this.#lead === undefined ? isSpeed || Number.isFinite(step) : isSpeed && !this.#lead.isSpeed
    ) {
      this.#lead = { metric, isSpeed };
      this.#anchor = undefined;
    }
    return this.#lead?.metric === metric;
  }

  #rateOf({ step, timeMs, value }: MetricPoint, isSpeed: boolean): Rate | undefined {
    const from = this.#anchor;
    const isAnew = from === undefined || timeMs < from.timeMs || (!isSpeed && step < from.step);
    if (isAnew || timeMs - from.timeMs >= minStretchMs) this.#anchor = { step, timeMs };
    if (isAnew || timeMs - from.timeMs < minStretchMs) return undefined;
    const perSecond = isSpeed ? value : (step - from.step) / ((timeMs - from.timeMs) / 1000);
    // Two points with the same step give no speed: an evaluation prints the step at which it runs.
    const isUsable = Number.isFinite(perSecond) && (isSpeed || step > from.step);
    return isUsable ? { perSecond, fromMs: from.timeMs, toMs: timeMs } : undefined;
  }

  #judge(rate: Rate, { metric }: MetricPoint): string | undefined {
    const usual = this.#usual.median;
    const isKnown = this.#usual.count >= minRates;
    if (!isKnown || rate.perSecond >= (usual * this.#limits.belowPercent) / 100)
      return this.#quickly(rate);
    this.#quick = 0;
    this.#slow ??= { sinceMs: rate.fromMs, untilMs: rate.toMs, count: 0 };
    this.#slow.count += 1;
    this.#slow.untilMs = rate.toMs;
    const slowMs = lengthOf(this.#slow);
    const longMs = Math.max(this.#limits.minutes * 60_000, longerFactor * this.#longestSlowMs);
    if (slowMs < longMs || this.#slow.count < minSlow) return undefined;
    const unit = this.#lead?.isSpeed === true ? metric : 'steps/s';
    const minutes = Math.round(slowMs / 60_000);
    return this.latch.raise(
      () =>
        `${unit} fell to ${formatValue(rate.perSecond)} from ${formatValue(usual)}, for ${minutes} min`,
    );
  }

  #quickly({ perSecond }: Rate): undefined {
    this.#usual.add(perSecond);
    this.#longestSlowMs = Math.max(this.#longestSlowMs, lengthOf(this.#slow));
    this.#slow = undefined;
    this.#quick += 1;
    if (this.#quick >= clearRates) this.latch.clear();
  }
}

const lengthOf = (
  slow: { readonly sinceMs: number; readonly untilMs: number } | undefined,
): number => (slow === undefined ? 0 : slow.untilMs - slow.sinceMs);
