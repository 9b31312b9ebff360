/**
 * A machine that is opened on first use. Until then, its kind and resources are known from its
 * entry, but its folders are not known.
 */
import { posix } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { messageOf } from '../base/errors.ts';
import { retry } from '../base/retries.ts';
import { ForwardingMachine, type Purpose } from './forwardingMachine.ts';
import {
  MachineFailure,
  type Follow,
  type FollowSink,
  type Machine,
  type MachineKind,
  type MachineSetup,
  type MachineShare,
  type MachineStatus,
  type ReadyOptions,
  type Scheduler,
} from './machine.ts';

/** Connects to a machine. Disposing the connector closes what it has opened. */
export interface Connector extends Disposable {
  /**
   * Opens the machine without asking the user. Rejects with `MachineFailure`; the next use tries
   * again.
   */
  open(): Promise<Machine>;
  /**
   * Connects, and asks the user if needed. Absent if connecting never requires the user. Rejects as
   * `open` does.
   */
  connect?(): Promise<void>;
  readonly onDidChangeStatus?: Event<MachineStatus> | undefined;
  /** Lets the next attempt to connect start without delay, and ask the user again. */
  retry(): void;
}

export interface LazyMachineOptions {
  readonly id: string;
  readonly kind: MachineKind;
  readonly share?: MachineShare;
  readonly setup?: MachineSetup;
  /**
   * Facts about the machine's queue that are known before the machine is opened. Absent for a
   * machine without a queue.
   */
  readonly queue?: Pick<Scheduler, 'mayRequeue'>;
  readonly connector: Connector;
  readonly clock: Clock;
}

/** Delays between attempts to connect to the machine while files on the machine are followed. */
const policy = { firstMs: 5_000 };

export class LazyMachine extends ForwardingMachine implements Disposable {
  readonly id: string;
  readonly #options: LazyMachineOptions;
  #opened: Machine | undefined;
  #opening: Promise<Machine> | undefined;

  constructor(options: LazyMachineOptions) {
    super();
    this.id = options.id;
    this.#options = options;
  }

  override get kind(): MachineKind {
    return this.#options.kind;
  }

  /** The same before the machine is opened: commands run on every machine with an entry. */
  override get path(): typeof posix {
    return posix;
  }

  override get filesOnly(): undefined {
    return undefined;
  }

  override get share(): MachineShare | undefined {
    return this.#options.share;
  }

  override setup(): Promise<MachineSetup> {
    const { setup } = this.#options;
    return setup === undefined ? super.setup() : Promise.resolve(setup);
  }

  override get homeFolder(): string | undefined {
    return this.#opened?.homeFolder;
  }

  override get onDidChangeStatus(): Event<MachineStatus> | undefined {
    return this.#options.connector.onDidChangeStatus;
  }

  /** Returns the value from the machine's entry, because the machine may not be open yet. */
  protected override get mayRequeue(): boolean | undefined {
    return this.#options.queue?.mayRequeue;
  }

  override async ready({ isAnew = false, mayAsk = isAnew }: ReadyOptions = {}): Promise<void> {
    if (isAnew) this.#options.connector.retry();
    await this.#open(mayAsk ? 'act' : 'look');
  }

  override follow(path: string, offset: number, sink: FollowSink): Follow {
    if (this.#opened) return this.#opened.follow(path, offset, sink);
    const over = new AbortController();
    let inner: Follow | undefined;
    const begin = async (): Promise<void> => {
      const machine = await this.#open('look');
      if (!over.signal.aborted) inner ??= machine.follow(path, offset, sink);
    };
    const again = (error: unknown, backoffMs: number): number => {
      sink.onError(asFailure(error));
      return backoffMs;
    };
    retry(policy, { clock: this.#options.clock, signal: over.signal, again }, begin).catch(
      () => undefined,
    );
    return {
      async drain() {
        await begin();
        await inner?.drain();
      },
      dispose() {
        over.abort();
        inner?.dispose();
      },
    };
  }

  dispose(): void {
    this.#options.connector.dispose();
  }

  protected target(): Machine {
    if (this.#opened) return this.#opened;
    throw new MachineFailure(
      'unreachable',
      `${this.id} has not been connected yet, so its folders are unknown. Test the machine to connect.`,
    );
  }

  protected override async through<T>(
    call: (machine: Machine) => Promise<T>,
    purpose: Purpose,
  ): Promise<T> {
    return call(await this.#open(purpose));
  }

  async #open(purpose: Purpose): Promise<Machine> {
    if (purpose === 'act') await this.#options.connector.connect?.();
    this.#opening ??= this.#options.connector.open().then(
      (machine) => (this.#opened = machine),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }
}

const asFailure = (error: unknown): MachineFailure =>
  error instanceof MachineFailure
    ? error
    : new MachineFailure('io', messageOf(error), { cause: error });
