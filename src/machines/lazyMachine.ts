/** A machine that is opened when it is used first: until then only its entry is known, and perhaps its folders. */
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import {
  MachineFailure,
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type Follow,
  type FollowSink,
  type Machine,
  type MachineKind,
} from './machine.ts';

/** How a machine is reached. It owns what it opens. */
export interface Way extends Disposable {
  /** Rejects with `MachineFailure`; the next use tries again. */
  open(): Promise<Machine>;
  /** The next try is made at once, and the person may be asked again. */
  retry(): void;
}

export interface LazyMachineOptions {
  readonly id: string;
  readonly kind: MachineKind;
  readonly way: Way;
  readonly clock: Clock;
}

/** Until a machine that could not be opened is tried again for what follows there. */
const retryMs = 5_000;

export class LazyMachine implements Machine, Disposable {
  readonly id: string;
  readonly kind: MachineKind;
  readonly #options: LazyMachineOptions;
  #opened: Machine | undefined;
  #opening: Promise<Machine> | undefined;

  constructor(options: LazyMachineOptions) {
    this.id = options.id;
    this.kind = options.kind;
    this.#options = options;
  }

  get runsFolder(): string {
    return this.#known().runsFolder;
  }

  get workFolder(): string {
    return this.#known().workFolder;
  }

  get homeFolder(): string | undefined {
    return this.#opened?.homeFolder;
  }

  async ready(options: { readonly isAnew?: boolean } = {}): Promise<void> {
    if (options.isAnew) this.#options.way.retry();
    await this.#open();
  }

  async describe(): Promise<string> {
    return (await this.#open()).describe();
  }

  async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    return (await this.#open()).exec(command, options);
  }

  async spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    await (await this.#open()).spawnDetached(argv, options);
  }

  async readFile(path: string, range?: { readonly offset: number; readonly maxBytes: number }): Promise<Uint8Array> {
    return (await this.#open()).readFile(path, range);
  }

  async writeFile(path: string, content: Uint8Array): Promise<void> {
    await (await this.#open()).writeFile(path, content);
  }

  async appendFile(path: string, content: Uint8Array): Promise<void> {
    await (await this.#open()).appendFile(path, content);
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
