/** A container of Docker or Podman, and the way to it from an entry of the list. */
import path from 'node:path/posix';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Connector } from '../lazyMachine.ts';
import { entryText, type ContainerEntry } from '../machineEntry.ts';
import { ShellMachine } from '../remote/shellMachine.ts';
import { ContainerHost } from './containerHost.ts';
import type { OwnEngines } from './ownEngines.ts';
import { heliosFolder } from './containerSpec.ts';

export interface ContainerConnectorOptions {
  readonly engines: OwnEngines;
  readonly clock: Clock;
}

export class ContainerMachine extends ShellMachine {
  readonly kind = 'container';
  readonly #entry: ContainerEntry;

  constructor(
    entry: ContainerEntry,
    host: ContainerHost,
    options: { workFolder: string; clock: Clock },
  ) {
    super(host, { id: entry.id, runsFolder: `${heliosFolder}/runs`, ...options });
    this.#entry = entry;
  }

  protected override get place(): string {
    const { network = 'none' } = this.#entry;
    return [entryText(this.#entry), network === 'none' ? 'no network' : `network ${network}`].join(
      ' · ',
    );
  }

  /**
   * What a container sees of processors and memory is what the computer has, not what it may use.
   */
  protected override get limits(): { readonly cpus?: number; readonly memoryMb?: number } {
    const { cpus, memoryMb } = this.#entry;
    return { ...(cpus !== undefined && { cpus }), ...(memoryMb !== undefined && { memoryMb }) };
  }
}

/**
 * The container stays when Helios ends: runs in it go on, and what was installed in it is there the
 * next time. It costs a shell that sleeps. It is removed when its entry has changed or is gone, and
 * no run is going on in it.
 */
export class ContainerConnector implements Connector {
  readonly #entry: ContainerEntry;
  readonly #options: ContainerConnectorOptions;
  #opened: Disposable | undefined;

  constructor(entry: ContainerEntry, options: ContainerConnectorOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  async open(): Promise<ContainerMachine> {
    const { clock } = this.#options;
    const host = new ContainerHost({ entry: this.#entry, ...this.#options });
    const { workFolder = this.#entry.mounts?.[0]?.target } = this.#entry;
    const folder = workFolder === undefined ? await host.imageFolder() : path.normalize(workFolder);
    const machine = new ContainerMachine(this.#entry, host, { workFolder: folder, clock });
    // That it can be used is known when it was.
    await machine.stat('/');
    this.#opened = machine;
    return machine;
  }

  /** Every use tries. */
  retry(): void {}

  dispose(): void {
    this.#opened?.dispose();
  }
}
