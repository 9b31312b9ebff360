/**
 * Raises the alarms for all non-finite metrics of a run: at most one warning and one alarm with the
 * configured action at a time.
 */
import type { MetricPoint } from '../metrics/metric.ts';
import type { Finding } from './finding.ts';
import { Latch } from './latch.ts';
import type { NonFiniteLevel, NonFiniteWatch } from './nonFinite.ts';
import type { WatchAction } from './settings.ts';

/** Number of consecutive finite values after which a metric has recovered. */
const recoveredPoints = 1000;

export class NonFiniteAlarm {
  readonly #action: WatchAction;
  readonly #latches: Readonly<Record<NonFiniteLevel, Latch>> = {
    serious: new Latch(),
    noticed: new Latch(),
  };
  /** The metric that was non-finite most recently; undefined when no problem holds. */
  #sick: NonFiniteWatch | undefined;

  constructor(action: WatchAction) {
    this.#action = action;
  }

  /** Whether a reported problem still holds. */
  get isHolding(): boolean {
    return this.#sick !== undefined;
  }

  add(series: NonFiniteWatch, point: MetricPoint): Finding | undefined {
    const level = series.add(point.value);
    if (level !== undefined) return this.#tell(series, level, point);
    if (series === this.#sick && series.hasRecovered(recoveredPoints)) this.#recover();
    return undefined;
  }

  #tell(series: NonFiniteWatch, level: NonFiniteLevel, point: MetricPoint): Finding | undefined {
    const { serious, noticed } = this.#latches;
    if (this.#action === 'off') return undefined;
    this.#sick = series;
    // With the action `warn`, both levels lead to the same warning.
    const isReported =
      level === 'noticed'
        ? serious.holding !== undefined
        : this.#action === 'warn' && noticed.holding;
    const detail = this.#latches[level].raise(() => nonFiniteText(point, series.hasBeenFinite));
    if (detail === undefined || isReported) return undefined;
    return { kind: 'non_finite', detail, action: level === 'serious' ? this.#action : 'warn' };
  }

  #recover(): void {
    this.#sick = undefined;
    for (const latch of Object.values(this.#latches)) latch.clear();
  }
}

function nonFiniteText({ metric, value, step }: MetricPoint, hasBeenFinite: boolean): string {
  const what = Number.isNaN(value) ? 'NaN' : value > 0 ? 'infinite' : '-infinite';
  if (!hasBeenFinite) return `${metric} is ${what}, and never was a number`;
  return `${metric} became ${what}${Number.isFinite(step) ? ` at step ${step}` : ''}`;
}
