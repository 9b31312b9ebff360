import { posix } from 'node:path';
import type { Clock } from '../../../src/base/clock.ts';
import { toDisposable, type Disposable } from '../../../src/base/disposable.ts';
import { ToolFailure } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type {
  FileState,
  Probe,
  ProbeAnswers,
  ProbeKind,
  ProbedMachine,
  ProbeOf,
  ProbeSink,
  MatchingProcess,
} from '../../../src/machines/probes/probe.ts';
import { MachineFailure, type ExecResult } from '../../../src/machines/machine.ts';
import type { ResourceSample } from '../../../src/machines/resources/resourceSample.ts';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import type {
  SleepProbes,
  SleepMachine,
  SleepResources,
  SleepPorts,
  WatchedPlace,
} from '../../../src/sleep/sleepPorts.ts';
import { WatchedEmitter } from '../../fakes/watchedEmitter.ts';

export const run7 = 'r-00000000700000' as RunId;
export const run8 = 'r-00000000800000' as RunId;

/** A machine made of a few files and processes and a command. */
export class FakeMachine implements SleepMachine {
  readonly path = posix;
  readonly workFolder = '/project';
  readonly runsFolder = '/runs';
  readonly id: string;
  readonly files = new Map<string, { text: string; modifiedMs: number }>();
  readonly processes: MatchingProcess[] = [];
  /** What any command prints. */
  printed = '';
  /** When set, nothing on this machine ever answers, or everything fails. */
  trouble: 'hangs' | 'unreachable' | undefined;

  constructor(id: string) {
    this.id = id;
  }

  write(path: string, text: string, modifiedMs = 1000.5): void {
    this.files.set(path, { text, modifiedMs });
  }

  exec(): Promise<ExecResult> {
    return Promise.reject(new Error('nothing is run here'));
  }

  query(): Promise<string> {
    return Promise.reject(new Error('nothing is asked here'));
  }

  readFile(path: string, range?: { offset: number; maxBytes: number }): Promise<Uint8Array> {
    const file = this.files.get(path);
    if (file === undefined)
      return Promise.reject(new MachineFailure('missing', `${path} is not there`));
    const bytes = Buffer.from(file.text, 'latin1');
    return Promise.resolve(
      range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.maxBytes),
    );
  }

  /** What a look of the kind finds now. */
  find(probe: Probe): unknown {
    switch (probe.kind) {
      case 'file':
        return this.#states().find(({ path }) => path === probe.path);
      case 'process':
        return this.processes.find(({ pid }) => pid === probe.pid);
      case 'pattern':
        return this.processes.filter(({ command }) => new RegExp(probe.pattern).test(command));
      case 'command':
        return { code: 0, stdout: this.printed, stderr: '' };
      case 'eventFiles':
        return this.#states().filter(({ path }) => path.startsWith(`${probe.folder}/`));
    }
  }

  #states(): FileState[] {
    return [...this.files].map(([path, { text, modifiedMs }]) => ({
      path,
      modifiedMs,
      sizeBytes: text.length,
      inode: '1',
    }));
  }
}

/** Looks every two seconds, as the real ones do; a machine that hangs is given up after 15 s. */
class FakeLooks implements SleepProbes {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch<Kind extends ProbeKind>(
    machine: ProbedMachine,
    probe: ProbeOf<Kind>,
    sink: ProbeSink<ProbeAnswers[Kind]>,
  ): Disposable {
    const asked = machine as FakeMachine;
    let next: Disposable | undefined;
    const later = (afterMs: number, work: () => void): void => {
      next = this.#clock.after(afterMs, work);
    };
    let isOver = false;
    const tell = (): void => {
      if (asked.trouble === 'hangs' && next === undefined) return later(15_000, tell);
      if (asked.trouble === 'unreachable') sink.failed(`${asked.id} does not answer`);
      else if (asked.trouble === 'hangs') sink.failed('no answer within 15 s');
      else sink.answer(asked.find(probe) as ProbeAnswers[Kind]);
      if (!isOver) later(2000, tell);
    };
    next = this.#clock.after(0, () => {
      next = undefined;
      tell();
    });
    return toDisposable(() => {
      isOver = true;
      next?.dispose();
    });
  }

  once<Kind extends ProbeKind>(
    machine: ProbedMachine,
    probe: ProbeOf<Kind>,
  ): Promise<ProbeAnswers[Kind]> {
    const asked = machine as FakeMachine;
    return asked.trouble === undefined
      ? Promise.resolve(asked.find(probe) as ProbeAnswers[Kind])
      : Promise.reject(new MachineFailure('unreachable', `${asked.id} does not answer`));
  }
}

/** Samples that the test makes. */
class FakeResources implements SleepResources {
  readonly #changes = new WatchedEmitter<string>();
  readonly #samples = new Map<string, ResourceSample>();
  readonly onDidChange = this.#changes.event;
  watches = 0;

  sample(id: string, sample: Omit<ResourceSample, 'atMs'>): void {
    this.#samples.set(id, { atMs: 0, ...sample });
    this.#changes.fire(id);
  }

  latest(id: string): ResourceSample | undefined {
    return this.#samples.get(id);
  }

  take({ id }: { id: string }): Promise<ResourceSample> {
    return Promise.resolve(this.#samples.get(id) ?? { atMs: 0 });
  }

  watch(): Disposable {
    this.watches += 1;
    return toDisposable(() => (this.watches -= 1));
  }

  get hasListeners(): boolean {
    return this.#changes.hasListeners;
  }
}

export class FakeDeps implements SleepPorts {
  readonly #ended = new WatchedEmitter<RunId>();
  readonly #endedSweep = new WatchedEmitter<string>();
  readonly #points = new WatchedEmitter<{ runId: RunId; points: readonly MetricPoint[] }>();
  readonly #endedRuns = new Set<RunId>();
  readonly #endedSweeps = new Set<string>();
  readonly #last = new Map<string, number>();
  /** Whether nothing goes on or waits. */
  idle = false;
  /** Why no file may be read, if that is so. */
  unreadable: string | undefined;
  readonly machines = new Map<string, FakeMachine>();
  readonly resources = new FakeResources();
  readonly probes: SleepProbes;
  readonly onDidEndRun = this.#ended.event;
  readonly onDidEndSweep = this.#endedSweep.event;
  readonly onDidReadPoints = this.#points.event;

  constructor(clock: Clock) {
    this.probes = new FakeLooks(clock);
  }

  get hasListeners(): boolean {
    if (this.resources.watches > 0 || this.resources.hasListeners) return true;
    return this.#ended.hasListeners || this.#endedSweep.hasListeners || this.#points.hasListeners;
  }

  add(id: string): FakeMachine {
    const machine = new FakeMachine(id);
    this.machines.set(id, machine);
    return machine;
  }

  end(runId: RunId): void {
    this.#endedRuns.add(runId);
    this.#ended.fire(runId);
  }

  endSweep(id: string, isHeard = true): void {
    this.#endedSweeps.add(id);
    if (isHeard) this.#endedSweep.fire(id);
  }

  print(runId: RunId, metric: string, ...values: number[]): void {
    this.#last.set(`${runId} ${metric}`, values.at(-1) ?? NaN);
    this.#points.fire({
      runId,
      points: values.map((value, step) => ({ metric, step, timeMs: 0, value })),
    });
  }

  readablePath({ path }: WatchedPlace): Promise<string> {
    return this.unreadable === undefined
      ? Promise.resolve(path)
      : Promise.reject(new ToolFailure(this.unreadable));
  }

  isIdle(): boolean {
    return this.idle;
  }

  isSweepOver(id: string): boolean {
    return this.#endedSweeps.has(id);
  }

  isEnded(runId: RunId): boolean {
    return this.#endedRuns.has(runId);
  }

  printedName(runId: RunId, metric: string): string | undefined {
    return this.#last.has(`${runId} ${metric}`) ? metric : undefined;
  }

  lastValue(runId: RunId, metric: string): number | undefined {
    return this.#last.get(`${runId} ${metric}`);
  }

  machine(id: string): FakeMachine {
    const machine = this.machines.get(id);
    if (machine === undefined)
      throw new MachineFailure('unknown_machine', `There is no machine ${id}.`);
    return machine;
  }
}
