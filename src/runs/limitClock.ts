/**
 * Starts a time limit that counts from the first metric. The supervisor on the machine measures the
 * time, but metrics are read on this computer.
 */
import type { Clock } from '../base/clock.ts';
import { coalesced } from '../base/coalesced.ts';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable.ts';
import type { Machine } from '../machines/machine.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import { runFolder } from './supervisor.ts';
import type { RunSpec } from './run.ts';

export interface LimitClockDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly metrics: RunMetrics;
  readonly clock: Clock;
}

const retryMs = 5_000;

/**
 * Sends the age of the first metric to the supervisor once, as soon as there is a metric and the
 * machine can be reached. Sends an age and not a time, because the clocks of two computers differ.
 * `isOver` returns whether the run is over.
 */
export function limitClock(
  { spec, machine, metrics, clock }: LimitClockDeps,
  isOver: () => boolean,
): Disposable {
  const owned = new DisposableStore();
  if (spec.limit?.from !== 'first_metric') return owned;
  const { firstMetric } = runFolder(machine.runsFolder, spec.id);
  let isDone = false;
  let retry: Disposable | undefined;
  const sendAge = coalesced(async () => {
    const firstMs = firstPointMs(metrics);
    if (isDone || isOver() || firstMs === undefined) return;
    if ((await machine.stat(firstMetric)) === undefined)
      await machine.writeFile(
        firstMetric,
        Buffer.from(`age_ms=${Math.max(0, Math.round(clock.now() - firstMs))}\n`),
        { isPrivate: true },
      );
    isDone = true;
  });
  const trying = (): void => {
    retry?.dispose();
    sendAge().catch(() => {
      retry = clock.after(retryMs, trying);
    });
  };
  owned.add(metrics.onDidAdd(trying));
  owned.add(toDisposable(() => retry?.dispose()));
  trying();
  return owned;
}

function firstPointMs(metrics: RunMetrics): number | undefined {
  const times = metrics.names().flatMap((name) => metrics.series(name).timesMs[0] ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}
