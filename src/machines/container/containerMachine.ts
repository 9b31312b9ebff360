/**
 * A machine that is a Docker or Podman container, and the connector that opens it from an entry.
 */
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
   * Limits set by the entry. Without them, the description would show all CPUs and memory of the
   * computer, which the container sees.
   */
  protected override get limits(): { readonly cpus?: number; readonly memoryMb?: number } {
    const { cpus, memoryMb } = this.#entry;
    return { ...(cpus !== undefined && { cpus }), ...(memoryMb !== undefined && { memoryMb }) };
  }
}

/**
 * Connects to the container of an entry. The container stays when Helios exits, so that runs
 * continue and installed packages remain; this costs one sleeping shell. The container is removed
 * when its entry has changed or was removed and no run in the container is active.
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
    // Check that the container works.
    await machine.stat('/');
    this.#opened = machine;
    return machine;
  }

  /** Does nothing, because every use of the machine tries to connect anyway. */
  retry(): void {}

  dispose(): void {
    this.#opened?.dispose();
  }
}
