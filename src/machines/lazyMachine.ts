/** A machine that is opened when it is used first: until then only its entry is known, and perhaps its folders. */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { messageOf } from '../base/errors.ts';
import { forwardedScheduler, schedulerOf } from './forwardedScheduler.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type Follow,
  type FollowSink,
  type Machine,
  type MachineKind,
  type MachineShare,
  type QueryOptions,
  type MachineStatus,
  type ReadyOptions,
  type Scheduler,
  type StreamOptions,
  type StreamResult,
} from './machine.ts';

/** How a machine is reached. It owns what it opens. */
export interface Way extends Disposable {
  /** Asks nobody. Rejects with `MachineFailure`; the next use tries again. */
  open(): Promise<Machine>;
  /** Connects, and asks the person where need be. Absent: there is nothing to ask. Rejects as `open` does. */
  connect?(): Promise<void>;
  readonly onDidChangeStatus?: Event<MachineStatus> | undefined;
  /** The next try is made at once, and the person may be asked again. */
  retry(): void;
}

export interface LazyMachineOptions {
  readonly id: string;
  readonly kind: MachineKind;
  readonly share?: MachineShare;
  /** Its runs go into a queue; what is known of that before the machine was opened. */
  readonly queue?: Pick<Scheduler, 'mayRequeue'>;
  readonly way: Way;
  readonly clock: Clock;
}

/** Until a machine that could not be opened is tried again for what follows there. */
const retryMs = 5_000;

export class LazyMachine implements Machine, Disposable {
  readonly id: string;
  readonly kind: MachineKind;
  readonly onDidChangeStatus: Event<MachineStatus> | undefined;
  readonly scheduler: Scheduler | undefined;
  readonly #options: LazyMachineOptions;
  #opened: Machine | undefined;
  #opening: Promise<Machine> | undefined;

  constructor(options: LazyMachineOptions) {
    this.id = options.id;
    this.kind = options.kind;
    this.onDidChangeStatus = options.way.onDidChangeStatus;
    this.#options = options;
    const { queue } = options;
    this.scheduler =
      queue &&
      forwardedScheduler(
        () => queue.mayRequeue,
        async (call, purpose) => call(schedulerOf(await (purpose === 'doing' ? this.#act() : this.#open()))),
      );
  }

  get runsFolder(): string {
    return this.#known().runsFolder;
  }

  get workFolder(): string {
    return this.#known().workFolder;
  }

  get share(): MachineShare | undefined {
    return this.#options.share;
  }

  get homeFolder(): string | undefined {
    return this.#opened?.homeFolder;
  }

  async ready({ isAnew = false, mayAsk = isAnew }: ReadyOptions = {}): Promise<void> {
    if (isAnew) this.#options.way.retry();
    await (mayAsk ? this.#act() : this.#open());
  }

  async describe(): Promise<string> {
    return (await this.#open()).describe();
  }

  async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    return (await this.#act()).exec(command, options);
  }

  async query(script: string, options?: QueryOptions): Promise<string> {
    return (await this.#open()).query(script, options);
  }

  async stream(command: string, options: StreamOptions): Promise<StreamResult> {
    return (await this.#act()).stream(command, options);
  }

  async spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    await (await this.#act()).spawnDetached(argv, options);
  }

  async readFile(path: string, range?: { readonly offset: number; readonly maxBytes: number }): Promise<Uint8Array> {
    return (await this.#open()).readFile(path, range);
  }

  async writeFile(path: string, content: Uint8Array): Promise<void> {
    await (await this.#act()).writeFile(path, content);
  }

  async appendFile(path: string, content: Uint8Array): Promise<void> {
    await (await this.#act()).appendFile(path, content);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return (await this.#open()).stat(path);
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    if (this.#opened) return this.#opened.follow(path, offset, sink);
    const owned = new DisposableStore();
    let inner: Follow | undefined;
    let isDisposed = false;
    const begin = async (): Promise<void> => {
      const machine = await this.#open();
      if (!isDisposed) inner ??= owned.add(machine.follow(path, offset, sink));
    };
    const trying = (): void => {
      begin().catch((error: unknown) => {
        if (isDisposed) return;
        sink.onError(asFailure(error));
        owned.add(this.#options.clock.after(retryMs, trying));
      });
    };
    trying();
    return {
      async drain() {
        await begin();
        await inner?.drain();
      },
      dispose() {
        isDisposed = true;
        owned.dispose();
      },
    };
  }

  dispose(): void {
    this.#options.way.dispose();
  }

  async #act(): Promise<Machine> {
    await this.#options.way.connect?.();
    return this.#open();
  }

  #open(): Promise<Machine> {
    this.#opening ??= this.#options.way.open().then(
      (machine) => (this.#opened = machine),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  #known(): Machine {
    if (this.#opened) return this.#opened;
    throw new MachineFailure('unreachable', `${this.id} was not reached yet, so its folders are not known.`);
  }
}

const asFailure = (error: unknown): MachineFailure =>
  error instanceof MachineFailure ? error : new MachineFailure('io', messageOf(error), { cause: error });
