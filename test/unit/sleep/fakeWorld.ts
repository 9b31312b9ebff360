import { Emitter } from '../../../src/base/emitter.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { MachineFailure, type ExecResult, type FileStat } from '../../../src/machines/machine.ts';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import type { SleepMachine, SleepWorld } from '../../../src/sleep/sleepWorld.ts';

export const run7 = 'r-00000000700000' as RunId;
export const run8 = 'r-00000000800000' as RunId;

/** A machine made of a few files and a table of commands. */
export class FakeMachine implements SleepMachine {
  readonly workFolder = '/project';
  readonly id: string;
  readonly files = new Map<string, { text: string; modifiedMs: number }>();
  /** Answers any command; by default there is no such command. */
  onExec: (command: string, signal?: AbortSignal) => Promise<string> = () => Promise.resolve('');
  /** When set, nothing on this machine ever answers, or everything fails. */
  trouble: 'hangs' | 'unreachable' | undefined;
  looks = 0;

  constructor(id: string) {
    this.id = id;
  }

  write(path: string, text: string, modifiedMs = 1000): void {
    this.files.set(path, { text, modifiedMs });
  }

  async exec(command: string, options?: { signal?: AbortSignal }): Promise<ExecResult> {
    await this.#answer();
    const stdout = await this.onExec(command, options?.signal);
    return { stdout, stderr: '', omittedBytes: { stdout: 0, stderr: 0 }, outcome: { kind: 'exited', code: 0 } };
  }

  async readFile(path: string, range?: { offset: number; maxBytes: number }): Promise<Uint8Array> {
    await this.#answer();
    const file = this.files.get(path);
    if (file === undefined) throw new MachineFailure('missing', `${path} is not there`);
    const bytes = new TextEncoder().encode(file.text);
    return range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.maxBytes);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    await this.#answer();
    const file = this.files.get(path);
    return file && { sizeBytes: file.text.length, modifiedMs: file.modifiedMs, isDirectory: false };
  }

  #answer(): Promise<void> {
    this.looks += 1;
    if (this.trouble === 'hangs') return new Promise(() => undefined);
    if (this.trouble === 'unreachable')
      return Promise.reject(new MachineFailure('unreachable', `${this.id} does not answer`));
    return Promise.resolve();
  }
}

export class FakeWorld implements SleepWorld {
  readonly #ended = new Emitter<RunId>();
  readonly #points = new Emitter<{ runId: RunId; points: readonly MetricPoint[] }>();
  readonly #endedRuns = new Set<RunId>();
  readonly #last = new Map<string, number>();
  readonly machines = new Map<string, FakeMachine>();
  readonly onDidEndRun = this.#ended.event;
  readonly onDidReadPoints = this.#points.event;

  get hasListeners(): boolean {
    return this.#ended.hasListeners || this.#points.hasListeners;
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

  print(runId: RunId, metric: string, ...values: number[]): void {
    this.#last.set(`${runId} ${metric}`, values.at(-1) ?? NaN);
    this.#points.fire({ runId, points: values.map((value, step) => ({ metric, step, timeMs: 0, value })) });
  }

  isEnded(runId: RunId): boolean {
    return this.#endedRuns.has(runId);
  }

  lastValue(runId: RunId, metric: string): number | undefined {
    return this.#last.get(`${runId} ${metric}`);
  }

  machine(id: string): FakeMachine {
    const machine = this.machines.get(id);
    if (machine === undefined) throw new MachineFailure('unknown_machine', `There is no machine ${id}.`);
    return machine;
  }
}
