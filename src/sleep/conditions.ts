/**
 * Watches the conditions of a sleep, each independently: a failure of one does not affect the
 * others.
 */
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable.ts';
import { assertNever } from '../base/errors.ts';
import { alarmAt } from './alarm.ts';
import type { ConditionPorts, ConditionSink, TriggerOf } from './condition.ts';
import { watchFile, watchPattern, watchProcess } from './probeConditions.ts';
import { holds } from './metricSource.ts';
import type { SleepPorts } from './sleepPorts.ts';
import { Sustained } from './sustained.ts';
import type { Trigger } from './trigger.ts';
import { watchResource, watchSource } from './valueConditions.ts';

/** Watches one condition until disposed. May call the sink before the function returns. */
export function watchCondition(
  trigger: Trigger,
  ports: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  switch (trigger.type) {
    case 'timer':
      return watchTimer(trigger, ports, sink);
    case 'process_exit':
      return watchRun(trigger, ports, sink);
    case 'sweep_end':
      return watchSweep(trigger, ports, sink);
    case 'all_exit':
      return watchAll(ports, sink);
    case 'tracked_metric':
      return watchSeries(trigger, ports, sink);
    case 'pattern_exit':
      return watchPattern(trigger, ports, sink);
    case 'resource':
      return watchResource(trigger, ports, sink);
    case 'foreign_exit':
      return watchProcess(trigger, ports, sink);
    case 'metric':
      return watchSource(trigger, ports, sink);
    case 'file':
      return watchFile(trigger, ports, sink);
    default:
      return assertNever(trigger);
  }
}

function watchTimer(
  { atMs }: TriggerOf<'timer'>,
  { clock }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  return alarmAt(clock, atMs, () => sink.met(true));
}

function watchRun(
  { runId }: TriggerOf<'process_exit'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const probe = (): void => {
    if (ports.isEnded(runId)) sink.met(true);
  };
  const subscription = ports.onDidEndRun((ended) => {
    if (ended === runId) sink.met(true);
  });
  probe();
  return subscription;
}

function watchSweep(
  { sweepId }: TriggerOf<'sweep_end'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  return onIdleChange(ports, () => {
    if (ports.isSweepOver(sweepId)) sink.met(true);
  });
}

function watchAll({ ports }: ConditionPorts, sink: ConditionSink): Disposable {
  return onIdleChange(ports, () => {
    if (ports.isIdle()) sink.met(true);
  });
}

/** Calls `check` now, and whenever a run or a sweep has ended. */
function onIdleChange(ports: SleepPorts, check: () => void): DisposableStore {
  const subscriptions = new DisposableStore();
  subscriptions.add(ports.onDidEndRun(check));
  subscriptions.add(ports.onDidEndSweep(check));
  check();
  return subscriptions;
}

/** Time without an active or waiting run after which `watchIdle` calls its callback. */
const idleMs = 15_000;

/**
 * Calls `onIdle` when no run has been active or waiting for `idleMs`. If another run starts in that
 * time, the time starts again.
 */
export function watchIdle({ ports, clock }: ConditionPorts, onIdle: () => void): Disposable {
  let timer: Disposable | undefined;
  const watch = onIdleChange(ports, () => {
    if (!ports.isIdle() || timer !== undefined) return;
    timer = clock.after(idleMs, () => {
      timer = undefined;
      if (ports.isIdle()) onIdle();
    });
  });
  watch.add(toDisposable(() => timer?.dispose()));
  return watch;
}

/**
 * Watches a tracked metric of several runs. Met while, in at least one of the runs, the newest
 * `sustainedChecks` values satisfy the comparison.
 */
function watchSeries(
  trigger: TriggerOf<'tracked_metric'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const { runIds, metric, comparator, threshold, sustainedChecks } = trigger;
  const holding = new Set<string>();
  const sustained = new Map(
    runIds.map((runId) => [runId as string, new Sustained(sustainedChecks)]),
  );
  const compare = (runId: string, value: number): void => {
    if (sustained.get(runId)?.check(holds(value, comparator, threshold))) holding.add(runId);
    else holding.delete(runId);
    sink.met(holding.size > 0);
  };
  const probeAtEnd = (): void => {
    if (holding.size === 0 && runIds.every((runId) => ports.isEnded(runId))) sink.hopeless();
  };
  const subscriptions = new DisposableStore();
  subscriptions.add(
    ports.onDidReadPoints(({ runId, points }) => {
      if (!runIds.includes(runId)) return;
      const name = ports.printedName(runId, metric);
      for (const point of points) if (point.metric === name) compare(runId, point.value);
    }),
  );
  const probeNow = (runId: (typeof runIds)[number]): void => {
    const last = ports.lastValue(runId, metric);
    if (last !== undefined) compare(runId, last);
  };
  subscriptions.add(
    ports.onDidEndRun((runId) => {
      if (!runIds.includes(runId)) return;
      probeNow(runId);
      probeAtEnd();
    }),
  );
  runIds.forEach(probeNow);
  probeAtEnd();
  return subscriptions;
}
