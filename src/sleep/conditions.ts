/** One condition of a sleep, by itself: nothing that it does, or fails to do, reaches another one. */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { assertNever } from '../base/errors.ts';
import { alarmAt } from './alarm.ts';
import { holds, readValue } from './metricSource.ts';
import { poll } from './poll.ts';
import { probeProcess } from './processProbe.ts';
import type { SleepWorld } from './sleepWorld.ts';
import type { Trigger } from './trigger.ts';

type TriggerOf<Type extends Trigger['type']> = Extract<Trigger, { type: Type }>;

/** What a condition tells about itself, as often as it likes. */
export interface ConditionSink {
  /** Holds now, or does not (any more). */
  met(isMet: boolean): void;
  /** Could not be looked at; it is tried again. */
  failed(message: string): void;
  /** Can never be met any more. */
  hopeless(): void;
}

export interface ConditionPorts {
  readonly world: SleepWorld;
  readonly clock: Clock;
}

const everyMs = { file: 2000, foreign_exit: 3000, json_file: 3000, csv_file: 3000, command: 5000 };
const timeoutMs = { quick: 15_000, command: 30_000 };

/** Watches until disposed. May tell the sink before it returns. */
export function watchCondition(trigger: Trigger, ports: ConditionPorts, sink: ConditionSink): Disposable {
  switch (trigger.type) {
    case 'timer':
      return watchTimer(trigger, ports, sink);
    case 'process_exit':
      return watchRun(trigger, ports, sink);
    case 'tracked_metric':
      return watchSeries(trigger, ports, sink);
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

function watchTimer({ atMs }: TriggerOf<'timer'>, { clock }: ConditionPorts, sink: ConditionSink): Disposable {
  return alarmAt(clock, atMs, () => sink.met(true));
}

function watchRun({ runId }: TriggerOf<'process_exit'>, { world }: ConditionPorts, sink: ConditionSink): Disposable {
  const look = (): void => {
    if (world.isEnded(runId)) sink.met(true);
  };
  const subscription = world.onDidEndRun((ended) => {
    if (ended === runId) sink.met(true);
  });
  look();
  return subscription;
}

/** Every value that arrives is compared; the newest of each run is what holds. */
function watchSeries(trigger: TriggerOf<'tracked_metric'>, { world }: ConditionPorts, sink: ConditionSink): Disposable {
  const { runIds, metric, comparator, threshold } = trigger;
  const holding = new Set<string>();
  const compare = (runId: string, value: number): void => {
    if (holds(value, comparator, threshold)) holding.add(runId);
    else holding.delete(runId);
    sink.met(holding.size > 0);
  };
  const lookAtEnd = (): void => {
    if (holding.size === 0 && runIds.every((runId) => world.isEnded(runId))) sink.hopeless();
  };
  const subscriptions = new DisposableStore();
  subscriptions.add(
    world.onDidReadPoints(({ runId, points }) => {
      if (!runIds.includes(runId)) return;
      for (const point of points) if (point.metric === metric) compare(runId, point.value);
    }),
  );
  const lookNow = (runId: (typeof runIds)[number]): void => {
    const last = world.lastValue(runId, metric);
    if (last !== undefined) compare(runId, last);
  };
  subscriptions.add(
    world.onDidEndRun((runId) => {
      if (!runIds.includes(runId)) return;
      lookNow(runId);
      lookAtEnd();
    }),
  );
  runIds.forEach(lookNow);
  lookAtEnd();
  return subscriptions;
}

function watchProcess(trigger: TriggerOf<'foreign_exit'>, { world, clock }: ConditionPorts, sink: ConditionSink) {
  const { machineId, pid, startTime } = trigger;
  const check = async (signal: AbortSignal): Promise<boolean> => {
    const found = await probeProcess(world.machine(machineId), pid, signal);
    return found === undefined || (startTime !== undefined && found.startTime !== startTime);
  };
  return poll(clock, { everyMs: everyMs.foreign_exit, timeoutMs: timeoutMs.quick, staysMet: true, check }, sink);
}

function watchSource(trigger: TriggerOf<'metric'>, { world, clock }: ConditionPorts, sink: ConditionSink): Disposable {
  const { machineId, source, field, comparator, threshold } = trigger;
  const check = async (signal: AbortSignal): Promise<boolean> =>
    holds(await readValue(world.machine(machineId), source, field, signal), comparator, threshold);
  const limitMs = source.type === 'command' ? timeoutMs.command : timeoutMs.quick;
  return poll(clock, { everyMs: everyMs[source.type], timeoutMs: limitMs, staysMet: false, check }, sink);
}

function watchFile(trigger: TriggerOf<'file'>, { world, clock }: ConditionPorts, sink: ConditionSink): Disposable {
  const { machineId, path, mode, baseline } = trigger;
  const check = async (): Promise<boolean> => {
    const found = await world.machine(machineId).stat(path);
    if (found === undefined || mode === 'exists') return found !== undefined;
    return found.modifiedMs !== baseline?.modifiedMs || found.sizeBytes !== baseline.sizeBytes;
  };
  const isLasting = mode === 'modified';
  return poll(clock, { everyMs: everyMs.file, timeoutMs: timeoutMs.quick, staysMet: isLasting, check }, sink);
}
