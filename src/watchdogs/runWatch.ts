/**
 * All watchdogs of one run. Receives points, regular calls as time passes, and samples of the run's
 * GPUs. Each problem is reported once, and again only after it has ceased to hold. The caller takes
 * the action.
 */
import { formatValue } from '../base/text.ts';
import type { MetricPoint, MetricSpec } from '../metrics/metric.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import type { Finding } from './finding.ts';
import { GpuIdleWatch } from './gpuIdle.ts';
import { Latch } from './latch.ts';
import { NonFiniteAlarm } from './nonFiniteAlarm.ts';
import { seriesWatch, type SeriesWatch } from './seriesWatch.ts';
import { SilenceWatch } from './silence.ts';
import type { WatchdogPolicy, WatchKind } from './settings.ts';
import { ThroughputWatch } from './throughput.ts';

export interface RunWatchOptions {
  readonly policy: WatchdogPolicy;
  readonly directions?: MetricSpec['directions'];
  /** Returns whether the metric decides which run is best. */
  isDecisive(metric: string): boolean;
  /**
   * Problems that an earlier process reported. Each is reported again only after it has ceased to
   * hold.
   */
  readonly told?: readonly Pick<Finding, 'kind' | 'action'>[];
}

/** Reads points that an earlier process has read. */
export interface Recall {
  /** Adds points in the order of the output. */
  take(points: readonly MetricPoint[]): void;
  /** Returns the findings: see `RunWatch.recall`. */
  end(): readonly Finding[];
}

/** Maximum number of metrics to watch: some programs print a new name on every line. */
const maxSeries = 2000;
const noFindings: readonly Finding[] = [];

export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #series = new Map<string, SeriesWatch>();
  readonly #nonFinite: NonFiniteAlarm;
  readonly #divergence = new Latch();
  readonly #throughput: ThroughputWatch;
  readonly #silence: SilenceWatch;
  readonly #gpus: GpuIdleWatch;

  constructor(options: RunWatchOptions) {
    this.#options = options;
    const { policy, told = [] } = options;
    this.#nonFinite = new NonFiniteAlarm(policy.non_finite.action);
    this.#throughput = new ThroughputWatch(policy.throughput);
    this.#silence = new SilenceWatch(policy.silence.minutes);
    this.#gpus = new GpuIdleWatch(policy.gpu_idle);
    // Whether problems of other kinds still hold is found out from the points that are read again.
    for (const { kind } of told) this.#latchOfTime(kind)?.raise(() => 'told');
  }

  /** Adds points in the order of the output. */
  take(points: readonly MetricPoint[]): readonly Finding[] {
    let findings = noFindings;
    for (const point of points) {
      const found = this.#add(point);
      if (found.length > 0) findings = [...findings, ...found];
    }
    return findings;
  }

  /**
   * Adds points that an earlier process has read. Returns the problems that hold after the last of
   * these points and that the earlier process did not report.
   */
  recall(metrics: Pick<RunMetrics, 'names' | 'series'>): readonly Finding[] {
    const recall = this.beginRecall();
    for (const metric of metrics.names()) {
      const { steps, timesMs, values } = metrics.series(metric);
      for (const [index, value] of values.entries())
        recall.take([{ metric, value, step: steps[index] ?? NaN, timeMs: timesMs[index] ?? NaN }]);
    }
    return recall.end();
  }

  /** Like `recall`, for points that are read in parts. */
  beginRecall(): Recall {
    const found = new Map<string, Finding>();
    const { told = [] } = this.#options;
    const isNew = ({ kind, action }: Finding): boolean =>
      !told.some((before) => before.kind === kind && before.action === action);
    return {
      take: (points) => {
        for (const point of points)
          for (const finding of this.#add(point))
            found.set(`${finding.kind} ${finding.action}`, finding);
      },
      end: () =>
        [...found.values()].filter((finding) => this.#holds(finding.kind) && isNew(finding)),
    };
  }

  /**
   * Detects silence. Must be called regularly while the run is known to be active. `lastOutputMs`
   * is the time at which output was last read; undefined if never.
   */
  beat(nowMs: number, lastOutputMs: number | undefined): readonly Finding[] {
    return this.#found('silence', this.#silence.beat(nowMs, lastOutputMs));
  }

  /**
   * Must be called instead of `beat` while the machine does not answer. This time is not counted as
   * silence.
   */
  skip(): void {
    this.#silence.skip();
  }

  /** Adds a sample with the utilisation of each GPU that the run holds, 0 to 100. */
  checkGpus(atMs: number, percents: readonly number[]): readonly Finding[] {
    return this.#found('gpu_idle', this.#gpus.judge(atMs, percents));
  }

  #add(point: MetricPoint): readonly Finding[] {
    const series = this.#seriesOf(point.metric);
    if (series === undefined) return noFindings;
    const slow = this.#throughput.add(point, series.isSpeed);
    const found = slow === undefined ? noFindings : this.#found('throughput', slow);
    const sick = this.#nonFinite.add(series.nonFinite, point);
    if (sick !== undefined) return [...found, sick];
    const limit = series.divergence?.add(point.value);
    if (limit !== undefined) return [...found, ...this.#addDivergence(point, limit)];
    if (this.#divergence.holding !== undefined) this.#settle();
    return found;
  }

  #addDivergence({ metric, value, step }: MetricPoint, limit: number): readonly Finding[] {
    const at = Number.isFinite(step) ? ` at step ${step}` : '';
    const detail = this.#divergence.raise(
      () =>
        `${metric} left its range: ${formatValue(value)}${at}, where ${formatValue(limit)} is the limit`,
    );
    return this.#found('divergence', detail);
  }

  /** Ends the divergence alarm when every metric is in its range again. */
  #settle(): void {
    for (const { divergence } of this.#series.values())
      if (divergence?.latch.holding !== undefined) return;
    this.#divergence.clear();
  }

  #seriesOf(metric: string): SeriesWatch | undefined {
    const known = this.#series.get(metric);
    if (known !== undefined || this.#series.size >= maxSeries) return known;
    const { policy, directions, isDecisive } = this.#options;
    const series = seriesWatch(metric, { policy, directions, isDecisive });
    this.#series.set(metric, series);
    return series;
  }

  #found(
    kind: Exclude<WatchKind, 'non_finite' | 'disk'>,
    detail: string | undefined,
  ): readonly Finding[] {
    const { action } = this.#options.policy[kind];
    return detail === undefined || action === 'off' ? noFindings : [{ kind, detail, action }];
  }

  #holds(kind: Finding['kind']): boolean {
    if (kind === 'non_finite') return this.#nonFinite.isHolding;
    const latch =
      kind === 'divergence'
        ? this.#divergence
        : kind === 'throughput'
          ? this.#throughput.latch
          : undefined;
    return latch?.holding !== undefined;
  }

  #latchOfTime(kind: Finding['kind']): Latch | undefined {
    switch (kind) {
      case 'silence':
        return this.#silence.latch;
      case 'gpu_idle':
        return this.#gpus.latch;
      case 'disk':
      case 'non_finite':
      case 'divergence':
      case 'throughput':
      case 'metric_pattern':
      case 'points':
      case 'unread_metric':
        return undefined;
    }
  }
}
