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

  /** Limits of the entry. The container itself sees all processors and memory of the computer. */
  protected override get limits(): { readonly cpus?: number; readonly memoryMb?: number } {
    const { cpus, memoryMb } = this.#entry;
    return { ...(cpus !== undefined && { cpus }), ...(memoryMb !== undefined && { memoryMb }) };
  }
}

/**
 * Connects to the container of an entry. The container is kept when Helios exits, so its runs
 * continue and installed packages remain; it costs one sleeping shell. It is removed when its entry
 * has changed or was removed and it has no active run.
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
    // Only a successful use proves that the container can be used.
    await machine.stat('/');
    this.#opened = machine;
    return machine;
  }

  /** Does nothing: every use tries to connect. */
  retry(): void {}

  dispose(): void {
    this.#opened?.dispose();
  }
}
