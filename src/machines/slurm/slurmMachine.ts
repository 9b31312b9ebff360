/** A Slurm cluster: commands and files use the login host, and runs use the queue. */
import type { Clock } from '../../base/clock.ts';
import { ForwardingMachine } from '../forwardingMachine.ts';
import { remoteSetup } from '../environment/machineSetup.ts';
import type {
  ExecOptions,
  ExecResult,
  Machine,
  MachineSetup,
  StreamOptions,
  StreamResult,
} from '../machine.ts';
import { entryText, type SlurmEntry } from '../machineEntry.ts';
import { clusterCommand, clusterText } from './clusterText.ts';
import { silent } from './jobQueue.ts';
import { SlurmScheduler } from './slurmScheduler.ts';

export interface SlurmMachineDeps {
  readonly entry: SlurmEntry;
  /** The login host, which shares a file system with the nodes. Disposed by whoever created it. */
  readonly login: Machine;
  /** Absolute path on the shared file system. */
  readonly runsFolder: string;
  /** Absolute. */
  readonly workFolder: string;
  readonly clock: Clock;
}

/**
 * A Slurm cluster as a machine. Commands run directly on the login host, which is meant for small
 * work; runs are submitted to the queue.
 */
export class SlurmMachine extends ForwardingMachine {
  readonly id: string;
  readonly #deps: SlurmMachineDeps;
  readonly #scheduler: SlurmScheduler;

  constructor(deps: SlurmMachineDeps) {
    super();
    this.id = deps.entry.id;
    this.#deps = deps;
    this.#scheduler = new SlurmScheduler(deps);
  }

  override get kind(): 'slurm' {
    return 'slurm';
  }

  override get runsFolder(): string {
    return this.#deps.runsFolder;
  }

  override get workFolder(): string {
    return this.#deps.workFolder;
  }

  override get scheduler(): SlurmScheduler {
    return this.#scheduler;
  }

  /**
   * Resolves with a text such as `Slurm cluster hpc · partition gpu · 12 nodes (3 idle) · 768 CPUs
   * · 48 GPUs · through ada@login1`.
   */
  override async describe(): Promise<string> {
    const { entry } = this.#deps;
    const { text, code } = await this.scheduler.ask(clusterCommand(entry.partition));
    if (code === 0)
      return clusterText(text, { partition: entry.partition, through: entryText(entry) });
    throw silent('sinfo', text);
  }

  /** Returns the setup of the cluster, which may differ from that of the login host. */
  override setup(): Promise<MachineSetup> {
    return Promise.resolve(remoteSetup(this.#deps.entry, process.env));
  }

  override exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return this.#deps.login.exec(command, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  override stream(script: string, options: StreamOptions): Promise<StreamResult> {
    return this.#deps.login.stream(script, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  protected target(): Machine {
    return this.#deps.login;
  }
}
