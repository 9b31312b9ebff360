/**
 * Connects to a Slurm cluster through its login host. If the entry names no host, this computer is
 * the login host.
 */
import { homedir } from 'node:os';
import { DisposableStore } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import type { Connector } from '../lazyMachine.ts';
import { createLocal } from '../local/windowsComputer.ts';
import { MachineFailure, type Machine, type MachineStatus } from '../machine.ts';
import type { SlurmEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configPaths.ts';
import { SshConnector, type SshConnectorOptions } from '../ssh/sshConnector.ts';
import { SlurmMachine } from './slurmMachine.ts';

export class SlurmConnector implements Connector {
  readonly onDidChangeStatus: Event<MachineStatus> | undefined;
  readonly #entry: SlurmEntry;
  readonly #options: SshConnectorOptions;
  readonly #owned = new DisposableStore();
  readonly #ssh: SshConnector | undefined;

  constructor(entry: SlurmEntry, options: SshConnectorOptions) {
    this.#entry = entry;
    this.#options = options;
    if (entry.host === undefined && entry.alias === undefined) return;
    this.#ssh = this.#owned.add(new SshConnector({ ...entry, kind: 'ssh' }, options));
    this.onDidChangeStatus = this.#ssh.onDidChangeStatus;
  }

  async open(): Promise<Machine> {
    const { clock } = this.#options;
    const home = homedir();
    const login =
      (await this.#ssh?.open()) ?? createLocal({ runsFolder: home, workFolder: home, clock });
    const { runsFolder = '~/.helios/runs', workFolder } = this.#entry;
    const folder = (path: string): string => expandHome(path, login.homeFolder);
    return new SlurmMachine({
      entry: this.#entry,
      login,
      runsFolder: absolute(folder(runsFolder)),
      workFolder: workFolder === undefined ? login.homeFolder : folder(workFolder),
      clock,
    });
  }

  async connect(): Promise<void> {
    await this.#ssh?.connect();
  }

  retry(): void {
    this.#ssh?.retry();
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function absolute(path: string): string {
  if (path.startsWith('/')) return path;
  throw new MachineFailure('io', `The runsFolder ${path} must be absolute or start with ~/.`);
}
