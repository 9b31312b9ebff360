import type { PlatformPath } from 'node:path';
import type { Event } from '../base/emitter.ts';
import type { FilesOnly } from './filesOnly.ts';
import type {
  ExecOptions,
  ExecResult,
  FileStat,
  Follow,
  FollowSink,
  Machine,
  MachineKind,
  MachineSetup,
  MachineShare,
  MachineStatus,
  QueryOptions,
  ReadyOptions,
  Scheduler,
  StreamOptions,
  StreamResult,
  AppendOptions,
  WriteOptions,
} from './machine.ts';

/**
 * Purpose of a call. `act`: changes something on the machine; connecting may ask the user for
 * secrets. `look`: only reads; connecting never asks the user.
 */
export type Purpose = 'act' | 'look';

const noSetup: MachineSetup = { env: {}, runEnv: {}, prologue: [], withheld: [] };

/**
 * A machine that forwards every call to another machine, `target()`, which may be opened later,
 * replaced or restricted. A subclass overrides `through` to change how all calls are forwarded, or
 * one method to change only that method.
 */
export abstract class ForwardingMachine implements Machine {
  abstract readonly id: string;
  readonly #scheduler = new ForwardingScheduler(
    () => this.mayRequeue === true,
    (call, purpose) => this.through((machine) => call(schedulerOf(machine)), purpose),
  );

  get kind(): MachineKind {
    return this.target().kind;
  }

  get path(): PlatformPath {
    return this.target().path;
  }

  get filesOnly(): FilesOnly | undefined {
    return this.target().filesOnly;
  }

  get runsFolder(): string {
    return this.target().runsFolder;
  }

  get workFolder(): string {
    return this.target().workFolder;
  }

  get homeFolder(): string | undefined {
    return this.target().homeFolder;
  }

  get share(): MachineShare | undefined {
    return this.target().share;
  }

  get scheduler(): Scheduler | undefined {
    return this.mayRequeue === undefined ? undefined : this.#scheduler;
  }

  /** Returns `mayRequeue` of the machine's scheduler; `undefined` if there is no scheduler. */
  protected get mayRequeue(): boolean | undefined {
    return this.target().scheduler?.mayRequeue;
  }

  get onDidChangeStatus(): Event<MachineStatus> | undefined {
    return this.target().onDidChangeStatus;
  }

  async ready(options?: ReadyOptions): Promise<void> {
    await this.target().ready?.(options);
  }

  setup(): Promise<MachineSetup> {
    return this.target().setup?.() ?? Promise.resolve(noSetup);
  }

  describe(): Promise<string> {
    return this.through((machine) => machine.describe(), 'look');
  }

  exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    return this.through((machine) => machine.exec(command, options), 'act');
  }

  query(script: string, options?: QueryOptions): Promise<string> {
    return this.through((machine) => machine.query(script, options), 'look');
  }

  stream(script: string, options: StreamOptions): Promise<StreamResult> {
    return this.through((machine) => machine.stream(script, options), 'act');
  }

  spawnDetached(...args: Parameters<Machine['spawnDetached']>): Promise<void> {
    return this.through((machine) => machine.spawnDetached(...args), 'act');
  }

  readFile(...args: Parameters<Machine['readFile']>): Promise<Uint8Array> {
    return this.through((machine) => machine.readFile(...args), 'look');
  }

  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<void> {
    return this.through((machine) => machine.writeFile(path, content, options), 'act');
  }

  appendFile(path: string, content: Uint8Array, options?: AppendOptions): Promise<void> {
    return this.through((machine) => machine.appendFile(path, content, options), 'act');
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.through((machine) => machine.stat(path), 'look');
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    return this.target().follow(path, offset, sink);
  }

  /**
   * Returns the machine to which calls are forwarded. Throws `MachineFailure` while there is none.
   */
  protected abstract target(): Machine;

  protected through<T>(call: (machine: Machine) => Promise<T>, _purpose: Purpose): Promise<T> {
    return call(this.target());
  }
}

type Through = <T>(call: (scheduler: Scheduler) => Promise<T>, purpose: Purpose) => Promise<T>;

class ForwardingScheduler implements Scheduler {
  readonly #mayRequeue: () => boolean;
  readonly #through: Through;

  constructor(mayRequeue: () => boolean, through: Through) {
    this.#mayRequeue = mayRequeue;
    this.#through = through;
  }

  get mayRequeue(): boolean {
    return this.#mayRequeue();
  }

  submit(...args: Parameters<Scheduler['submit']>): Promise<readonly string[]> {
    return this.#through((scheduler) => scheduler.submit(...args), 'act');
  }

  find(name: string): Promise<string | undefined> {
    return this.#through((scheduler) => scheduler.find(name), 'look');
  }

  state(...args: Parameters<Scheduler['state']>): ReturnType<Scheduler['state']> {
    return this.#through((scheduler) => scheduler.state(...args), 'look');
  }

  onNode(...args: Parameters<Scheduler['onNode']>): Promise<string> {
    return this.#through((scheduler) => scheduler.onNode(...args), 'act');
  }

  cancel(jobId: string): Promise<void> {
    return this.#through((scheduler) => scheduler.cancel(jobId), 'act');
  }
}

function schedulerOf({ id, scheduler }: Pick<Machine, 'id' | 'scheduler'>): Scheduler {
  if (scheduler) return scheduler;
  throw new Error(`Machine ${id} has no scheduler`);
}
