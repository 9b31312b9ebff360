/**
 * The current machines: this computer, and the machines listed in `machines.json`. Reports a change
 * of the file by Helios or another program within moments. Does not connect to a machine before its
 * first use.
 */
import { mkdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { coalesced } from '../../base/coalesced.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { MachineFailure, type Machine, type Machines, type MachineStatus } from '../machine.ts';
import { localId, type LocalEntry, type MachineEntry } from '../machineEntry.ts';
import type { MachineFile } from './machineFile.ts';
import { MachineHandle } from './machineHandle.ts';

/**
 * Creates the machine of an entry. The machine connects on first use, and disconnects when
 * disposed.
 */
export type CreateMachine = (entry: MachineEntry) => Machine & Disposable;

export interface MachineRegistryOptions {
  readonly local: Machine;
  readonly file: MachineFile;
  readonly create: CreateMachine;
  /** Returns whether runs are active on the machine; a busy machine is not removed. */
  isBusy(machineId: string): boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Remote {
  readonly entry: MachineEntry;
  readonly machine: Machine & Disposable;
  readonly handle: MachineHandle;
}

/** Delay before a changed file is read, because editors write a file in several steps. */
const quietMs = 50;

export class MachineRegistry implements Machines, Disposable {
  readonly #options: MachineRegistryOptions;
  #remotes = new Map<string, Remote>();
  /** Machines removed from the file while runs were active on them. */
  readonly #retired = new Map<string, Remote>();
  readonly #changed = new Emitter<void>();
  /** Fires when the list, the status of a machine or `problems` changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  #problems: readonly string[] = [];
  #localEntry: LocalEntry | undefined;
  #watcher: FSWatcher | undefined;
  #pending: Disposable | undefined;
  #isDisposed = false;
  /**
   * Reads the file again. A call while the file is being read causes another read. Never rejects.
   */
  readonly reload = coalesced(() => this.#load());

  private constructor(options: MachineRegistryOptions) {
    this.#options = options;
  }

  /**
   * Opens the registry and reads the file. Errors in the file are logged and listed in `problems`.
   */
  static async open(options: MachineRegistryOptions): Promise<MachineRegistry> {
    const registry = new MachineRegistry(options);
    registry.#watch();
    await registry.reload();
    return registry;
  }

  get file(): string {
    return this.#options.file.path;
  }

  /** Errors in the file, each with its line and a remedy. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  entries(): readonly MachineEntry[] {
    return [...this.#remotes.values()].map(({ entry }) => entry);
  }

  /** Settings of this computer, as the file has them. */
  get localEntry(): LocalEntry | undefined {
    return this.#localEntry;
  }

  list(): readonly Machine[] {
    return [this.#options.local, ...this.#handles()];
  }

  get(id: string): Machine {
    if (id === localId) return this.#options.local;
    const remote = this.#remotes.get(id) ?? this.#retired.get(id);
    if (remote) return remote.handle;
    const ids = this.list().map((machine) => machine.id);
    throw new MachineFailure(
      'unknown_machine',
      `There is no machine "${id}". Machines: ${ids.join(', ')}.`,
    );
  }

  status(id: string): MachineStatus {
    return id === localId
      ? { kind: 'connected' }
      : (this.#remotes.get(id)?.handle.status ?? { kind: 'unused' });
  }

  /**
   * Returns the same machines, but with `local` as this computer. Each session passes its own
   * `local`, because relative paths and the folder in which commands start depend on the session.
   */
  with(local: Machine): Machines {
    return {
      list: () => [local, ...this.#handles()],
      get: (id) => (id === localId ? local : this.get(id)),
      status: (id) => this.status(id),
      onDidChange: this.onDidChange,
    };
  }

  /** Adds machines. A machine with the same id is replaced. Rejects with `UserFacing`. */
  async add(...entries: readonly MachineEntry[]): Promise<void> {
    await this.#options.file.put(...entries);
    await this.reload();
  }

  /**
   * Removes a machine. Rejects with `UserFacing` when the id is unknown, or while runs are active
   * on the machine.
   */
  async remove(id: string): Promise<void> {
    if (id === localId)
      throw new UserFacing('The machine “local” is this computer and cannot be removed.');
    if (this.#options.isBusy(id))
      throw new UserFacing(
        `Runs are active on ${id}.`,
        'Stop them, or wait for them to end, before you remove the machine.',
      );
    if (!(await this.#options.file.remove(id)))
      throw new UserFacing(
        `There is no machine "${id}".`,
        `Machines: ${this.list()
          .map((machine) => machine.id)
          .join(', ')}.`,
      );
    await this.reload();
  }

  /**
   * Creates `machines.json` if it is missing, and resolves with its path. Rejects with
   * `UserFacing`.
   */
  async ensureFile(): Promise<string> {
    await this.#options.file.ensure();
    return this.file;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#pending?.dispose();
    this.#watcher?.close();
    this.#changed.dispose();
    for (const { machine } of [...this.#remotes.values(), ...this.#retired.values()])
      machine.dispose();
    this.#remotes.clear();
    this.#retired.clear();
  }

  #handles(): MachineHandle[] {
    return [...this.#remotes.values()].map(({ handle }) => handle);
  }

  #watch(): void {
    const { file, logger } = this.#options;
    try {
      // Watch the folder, because a missing file cannot be watched. Create the folder first.
      mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
      this.#watcher = watch(dirname(file.path), { persistent: false }, (_event, name) => {
        if (name !== null && name !== basename(file.path)) return;
        this.#pending ??= this.#options.clock.after(quietMs, () => {
          this.#pending = undefined;
          void this.reload();
        });
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      logger.debug(`${file.path} is not watched: ${messageOf(error)}`);
    }
  }

  async #load(): Promise<void> {
    const { entries, local, problems } = await this.#options.file.read();
    if (this.#isDisposed) return;
    const isNews = String(problems) !== String(this.#problems);
    if (isNews) for (const problem of problems) this.#options.logger.warn(problem);
    this.#problems = problems;
    // If no machine can be read because of errors in the file, keep the current machines.
    const isBroken = entries.length === 0 && problems.length > 0;
    if (!isBroken) this.#localEntry = local;
    if ((!isBroken && this.#take(entries)) || isNews) this.#changed.fire();
  }

  /** Applies the entries of the file, and returns whether anything changed. */
  #take(entries: readonly MachineEntry[]): boolean {
    const before = this.#remotes;
    const next = new Map(
      entries.map((entry) => [entry.id, this.#remoteOf(entry, before.get(entry.id))]),
    );
    this.#remotes = next;
    for (const [id, remote] of before)
      if (next.get(id)?.machine !== remote.machine) this.#retire(id, remote);
    return (
      String([...next.keys()]) !== String([...before.keys()]) ||
      [...next].some(([id, remote]) => before.get(id) !== remote)
    );
  }

  #remoteOf(entry: MachineEntry, previous: Remote | undefined): Remote {
    if (previous !== undefined && JSON.stringify(previous.entry) === JSON.stringify(entry))
      return previous;
    const machine = this.#options.create(entry);
    const retired = this.#retired.get(entry.id);
    this.#retired.delete(entry.id);
    // A machine that was changed, or removed and added again, keeps its handle, which its runs
    // still use.
    const handle = (previous ?? retired)?.handle;
    handle?.replace(machine);
    retired?.machine.dispose();
    return {
      entry,
      machine,
      handle: handle ?? new MachineHandle(machine, () => this.#changed.fire()),
    };
  }

  #retire(id: string, remote: Remote): void {
    if (!this.#remotes.has(id) && this.#options.isBusy(id)) this.#retired.set(id, remote);
    else remote.machine.dispose();
  }
}
