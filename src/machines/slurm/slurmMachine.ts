/** A Slurm cluster: commands and files go to its login host, runs into its queue. */
import type { Clock } from '../../base/clock.ts';
import { ForwardingMachine } from '../forwardingMachine.ts';
import type { ExecOptions, ExecResult, Machine, StreamOptions, StreamResult } from '../machine.ts';
import { entryText, type SlurmEntry } from '../machineEntry.ts';
import { clusterCommand, clusterText } from './clusterText.ts';
import { silent } from './jobQueue.ts';
import { SlurmScheduler } from './slurmScheduler.ts';

export interface SlurmMachineParts {
  readonly entry: SlurmEntry;
  /** Not owned. Its file system is that of the nodes. */
  readonly login: Machine;
  /** Absolute, on that file system. */
  readonly runsFolder: string;
  /** Absolute. */
  readonly workFolder: string;
  readonly clock: Clock;
}

/** Processes that it starts are on the login host, where only what is small may run: the queue is for runs. */
export class SlurmMachine extends ForwardingMachine {
  readonly id: string;
  readonly #parts: SlurmMachineParts;
  readonly #scheduler: SlurmScheduler;

  constructor(parts: SlurmMachineParts) {
    super();
    this.id = parts.entry.id;
    this.#parts = parts;
    this.#scheduler = new SlurmScheduler(parts);
  }

  override get kind(): 'slurm' {
    return 'slurm';
  }

  override get runsFolder(): string {
    return this.#parts.runsFolder;
  }

  override get workFolder(): string {
    return this.#parts.workFolder;
  }

  override get scheduler(): SlurmScheduler {
    return this.#scheduler;
  }

  /** `Slurm cluster hpc · partition gpu · 12 nodes (3 idle) · 768 CPUs · 48 GPUs · through ada@login1`. */
  override async describe(): Promise<string> {
    const { entry } = this.#parts;
    const { text, code } = await this.scheduler.ask(clusterCommand(entry.partition));
    if (code === 0) return clusterText(text, { partition: entry.partition, through: entryText(entry) });
    throw silent('sinfo', text);
  }

  override exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return this.#parts.login.exec(command, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  override stream(command: string, options: StreamOptions): Promise<StreamResult> {
    return this.#parts.login.stream(command, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  protected target(): Machine {
    return this.#parts.login;
  }
}
