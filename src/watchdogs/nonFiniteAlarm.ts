/**
 * What is told of all metrics of a run that are no numbers: once what is worth a word, once what
 * the action is for.
 */
import type { MetricPoint } from '../metrics/metric.ts';
import type { Finding } from './finding.ts';
import { Latch } from './latch.ts';
import type { NonFiniteLevel, NonFiniteWatch } from './nonFinite.ts';
import type { WatchAction } from './settings.ts';

/** A metric that was no number is over it after so many numbers in a row. */
const recoveredPoints = 1000;

export class NonFiniteAlarm {
  readonly #action: WatchAction;
  readonly #told: Readonly<Record<NonFiniteLevel, Latch>> = {
    serious: new Latch(),
    noticed: new Latch(),
  };
  /** The metric that was no number last. */
  #sick: NonFiniteWatch | undefined;

  constructor(action: WatchAction) {
    this.#action = action;
  }

  /** Something was told that holds yet. */
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
    const { serious, noticed } = this.#told;
    if (this.#action === 'off') return undefined;
    this.#sick = series;
    // A warning of either level is the same to whoever hears it.
    const isTold =
      level === 'noticed'
        ? serious.holding !== undefined
        : this.#action === 'warn' && noticed.holding;
    const detail = this.#told[level].raise(() => nonFiniteText(point, series.hasBeenFinite));
    if (detail === undefined || isTold) return undefined;
    return { kind: 'non_finite', detail, action: level === 'serious' ? this.#action : 'warn' };
  }

  #recover(): void {
    this.#sick = undefined;
    for (const latch of Object.values(this.#told)) latch.clear();
  }
}

function nonFiniteText({ metric, value, step }: MetricPoint, hasBeenFinite: boolean): string {
  const what = Number.isNaN(value) ? 'NaN' : value > 0 ? 'infinite' : '-infinite';
  if (!hasBeenFinite) return `${metric} is ${what}, and never was a number`;
  return `${metric} became ${what}${Number.isFinite(step) ? ` at step ${step}` : ''}`;
}
