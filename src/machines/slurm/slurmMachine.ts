/** A Slurm cluster: commands and files go to its login host, runs into its queue. */
import type { Clock } from '../../base/clock.ts';
import {
  type ExecOptions,
  type ExecResult,
  type FileStat,
  type Follow,
  type FollowSink,
  type Machine,
  type QueryOptions,
  type StreamOptions,
  type StreamResult,
} from '../machine.ts';
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

export class SlurmMachine implements Machine {
  readonly id: string;
  readonly kind = 'slurm';
  readonly runsFolder: string;
  readonly workFolder: string;
  readonly homeFolder: string | undefined;
  readonly scheduler: SlurmScheduler;
  readonly #login: Machine;
  readonly #entry: SlurmEntry;

  constructor(parts: SlurmMachineParts) {
    const { entry, login, runsFolder, workFolder } = parts;
    this.id = entry.id;
    this.runsFolder = runsFolder;
    this.workFolder = workFolder;
    this.homeFolder = login.homeFolder;
    this.scheduler = new SlurmScheduler(parts);
    this.#login = login;
    this.#entry = entry;
  }

  /** `Slurm cluster hpc · partition gpu · 12 nodes (3 idle) · 768 CPUs · 48 GPUs · through ada@login1`. */
  async describe(): Promise<string> {
    const { text, code } = await this.scheduler.ask(clusterCommand(this.#entry.partition));
    if (code === 0) return clusterText(text, { partition: this.#entry.partition, through: entryText(this.#entry) });
    throw silent('sinfo', text);
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return this.#login.exec(command, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  query(script: string, options?: QueryOptions): Promise<string> {
    return this.#login.query(script, options);
  }

  stream(command: string, options: StreamOptions): Promise<StreamResult> {
    return this.#login.stream(command, { ...options, cwd: options.cwd ?? this.workFolder });
  }

  /** On the login host, where only what is small may run: the queue is for runs. */
  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    return this.#login.spawnDetached(argv, options);
  }

  readFile(path: string, range?: { readonly offset: number; readonly maxBytes: number }): Promise<Uint8Array> {
    return this.#login.readFile(path, range);
  }

  writeFile(path: string, content: Uint8Array): Promise<void> {
    return this.#login.writeFile(path, content);
  }

  appendFile(path: string, content: Uint8Array): Promise<void> {
    return this.#login.appendFile(path, content);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.#login.stat(path);
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    return this.#login.follow(path, offset, sink);
  }
}
