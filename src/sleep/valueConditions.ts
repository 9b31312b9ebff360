/** Watches conditions on numbers that a file, a command or the machine itself reports. */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { oneLine } from '../base/text.ts';
import type { FileState } from '../machines/probes/probe.ts';
import type { ConditionPorts, ConditionSink, TriggerOf } from './condition.ts';
import { commandValue, holds, readFileValue } from './metricSource.ts';
import { percentsOf } from './resourceValue.ts';
import { Sustained } from './sustained.ts';
import { EventFiles, type EventsRead } from './tensorboard/eventFiles.ts';

type MetricTrigger = TriggerOf<'metric'>;
type FileSource = Extract<MetricTrigger['source'], { readonly path: string }>;

export function watchSource(
  trigger: MetricTrigger,
  ports: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const { source } = trigger;
  switch (source.type) {
    case 'json_file':
    case 'csv_file':
      return watchFileValue(trigger, source, ports, sink);
    case 'command':
      return watchCommand(trigger, source.shellCommand ?? source.command, ports, sink);
    case 'tensorboard':
      return watchEvents(trigger, source.logdir, ports, sink);
  }
}

/**
 * Returns a function that compares a new value and reports to the sink whether the condition is
 * met.
 */
function comparing(
  trigger: Pick<MetricTrigger, 'comparator' | 'threshold' | 'sustainedChecks'>,
  sink: ConditionSink,
) {
  const sustained = new Sustained(trigger.sustainedChecks);
  return (value: number): void =>
    sink.met(sustained.check(holds(value, trigger.comparator, trigger.threshold)));
}

/**
 * Reads the value again whenever a probe shows that the file has changed. Before each read, the real
 * path is judged: a link may have changed.
 */
function watchFileValue(
  trigger: MetricTrigger,
  source: FileSource,
  { ports, clock }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const machine = ports.machine(trigger.machineId);
  const compare = comparing(trigger, sink);
  const owned = new DisposableStore();
  const reader = owned.add(new Reader(clock, sink));
  let lastStamp = '';
  let compared: { stamp: string; value: number } | undefined;
  const take = (found: FileState, value: number): void => {
    // If times are in whole seconds, a second change within the same second is invisible. So a
    // file that changed just now is read once more.
    const isSettled = found.modifiedMs % 1000 !== 0 || clock.now() - found.modifiedMs > settledMs;
    const stamp = stampOf(found);
    lastStamp = isSettled ? stamp : '';
    const isNew = compared?.stamp !== stamp || !Object.is(compared.value, value);
    compared = { stamp, value };
    if (isNew) compare(value);
  };
  const answer = (found: FileState | undefined): void => {
    if (found === undefined) sink.failed(`${source.path} does not exist`);
    else if (stampOf(found) !== lastStamp)
      reader.read(
        async () => {
          const real = await ports.readablePath({ machine, ...source });
          return readFileValue(machine, { ...source, real }, trigger.field, found.sizeBytes);
        },
        (value) => take(found, value),
      );
  };
  const failed = (message: string): void => sink.failed(message);
  owned.add(ports.probes.watch(machine, { kind: 'file', path: source.path }, { answer, failed }));
  return owned;
}

const settledMs = 3000;
const stampOf = ({ sizeBytes, modifiedMs, inode }: FileState): string =>
  `${sizeBytes} ${modifiedMs} ${inode}`;

function watchCommand(
  trigger: MetricTrigger,
  command: string,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const compare = comparing(trigger, sink);
  return ports.probes.watch(
    ports.machine(trigger.machineId),
    { kind: 'command', command },
    {
      answer(state) {
        try {
          compare(commandValue(state));
        } catch (error) {
          sink.failed(messageOf(error));
        }
      },
      failed: (message) => sink.failed(message),
    },
  );
}

function watchEvents(
  trigger: MetricTrigger,
  folder: string,
  { ports, clock }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const machine = ports.machine(trigger.machineId);
  const compare = comparing(trigger, sink);
  const events = new EventFiles();
  const owned = new DisposableStore();
  const reader = owned.add(new Reader(clock, sink));
  let hasValue = false;
  const take = ({ values, damage }: EventsRead): void => {
    hasValue ||= values.length > 0;
    if (!hasValue) sink.failed(`${folder} has no scalar "${trigger.field}" yet`);
    for (const { value } of values) compare(value);
    if (damage.length > 0) sink.failed(oneLine(damage.join('; '), 400));
  };
  const answer = (files: readonly FileState[] | undefined): void => {
    if (files === undefined) sink.failed(`there is no folder ${folder}`);
    else if (files.length === 0) sink.failed(`${folder} has no event files`);
    else reader.read(() => events.newValues(machine, files, trigger.field), take);
  };
  const failed = (message: string): void => sink.failed(message);
  owned.add(ports.probes.watch(machine, { kind: 'eventFiles', folder }, { answer, failed }));
  return owned;
}

const readTimeoutMs = 60_000;

/**
 * Runs at most one read at a time. A read that would overlap is skipped; the next probe starts it
 * again. A read that takes too long is abandoned.
 */
class Reader implements Disposable {
  readonly #clock: Clock;
  readonly #sink: ConditionSink;
  #current: Disposable | undefined;

  constructor(clock: Clock, sink: ConditionSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  /** Calls `take` with the result of `work`, unless the read was disposed or abandoned before. */
  read<T>(work: () => Promise<T>, take: (value: T) => void): void {
    if (this.#current !== undefined) return;
    const settle = (report: () => void): void => {
      if (this.#current !== own) return;
      this.dispose();
      report();
    };
    const own = this.#clock.after(readTimeoutMs, () =>
      settle(() => this.#sink.failed('the read timed out')),
    );
    this.#current = own;
    work().then(
      (value) => settle(() => take(value)),
      (error: unknown) => settle(() => this.#sink.failed(messageOf(error))),
    );
  }

  dispose(): void {
    this.#current?.dispose();
    this.#current = undefined;
  }
}

export function watchResource(
  trigger: TriggerOf<'resource'>,
  { ports }: ConditionPorts,
  sink: ConditionSink,
): Disposable {
  const { machineId, comparator, threshold } = trigger;
  const sustained = new Sustained(trigger.sustainedChecks);
  const subscriptions = new DisposableStore();
  subscriptions.add(
    ports.resources.onDidChange((changed) => {
      const sample = changed === machineId ? ports.resources.latest(machineId) : undefined;
      if (sample === undefined) return;
      const percents = percentsOf(sample, trigger);
      // A sample without the value interrupts the sequence: an unknown value does not satisfy the
      // comparison.
      sink.met(
        sustained.check(
          percents.length > 0 && percents.every((each) => holds(each, comparator, threshold)),
        ),
      );
      if (percents.length === 0) sink.failed(`${machineId} does not report ${trigger.resource}`);
    }),
  );
  subscriptions.add(ports.resources.watch(machineId, (message) => sink.failed(message)));
  return subscriptions;
}
