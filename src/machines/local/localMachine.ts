/** The computer that Helios runs on. */
import { availableParallelism, homedir, totalmem } from 'node:os';
import { posix, type PlatformPath } from 'node:path';
import { counted } from '../../base/text.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Environment } from '../../base/childEnvironment.ts';
import { localSetup, type SetupFields } from '../environment/machineSetup.ts';
import type { FilesOnly } from '../filesOnly.ts';
import { commandEnv, ownEnv } from './commandEnv.ts';
import { execLocal, spawnLocalDetached, streamLocal } from './localExec.ts';
import { appendLocalFile, readLocalFile, statLocal, writeLocalFile } from './localFiles.ts';
import { LocalFollow } from './localFollow.ts';
import { localHost } from './localHost.ts';
import type {
  ExecOptions,
  ExecResult,
  FileStat,
  Follow,
  FollowSink,
  Machine,
  MachineSetup,
  QueryOptions,
  StreamOptions,
  StreamResult,
  AppendOptions,
  WriteOptions,
} from '../machine.ts';
import { Queries } from '../remote/queries.ts';
import { StandingShell } from '../remote/standingShell.ts';

export interface LocalMachineOptions {
  /** Absolute. */
  readonly runsFolder: string;
  /** Absolute. */
  readonly workFolder: string;
  readonly clock?: Clock;
  /** Environment of this process; commands get a filtered copy of it (`commandEnv`). */
  readonly env?: Environment;
  /** Returns the user's settings for commands and runs. Default: none. */
  setupFields?(): Promise<SetupFields>;
}

/** Two shells, each of which starts with its first query. */
interface Shells {
  readonly queries: Queries;
  readonly probes: Queries;
}

/**
 * Shells for queries. All local machines with the same clock and the same `PATH` share them, even if
 * their work folders differ.
 */
const shared = new WeakMap<Clock, Map<string, Shells>>();

function shellsBy(clock: Clock, env: Readonly<Record<string, string>>): Shells {
  const shells = shared.get(clock) ?? new Map<string, Shells>();
  shared.set(clock, shells);
  const searched = env['PATH'] ?? '';
  const found = shells.get(searched) ?? newShells(clock, env);
  shells.set(searched, found);
  return found;
}

const newShells = (clock: Clock, env: Readonly<Record<string, string>>): Shells => ({
  queries: newQueries(clock, env),
  probes: newQueries(clock, env),
});

const newQueries = (clock: Clock, env: Readonly<Record<string, string>>): Queries =>
  new Queries(new StandingShell(localHost(env), clock));

export class LocalMachine implements Machine {
  readonly id = 'local';
  readonly kind = 'local';
  readonly path: PlatformPath = posix;
  readonly filesOnly: FilesOnly | undefined = undefined;
  readonly runsFolder: string;
  readonly workFolder: string;
  readonly homeFolder = homedir();
  readonly #clock: Clock;
  readonly #env: Environment;
  readonly #setupFields: () => Promise<SetupFields>;
  readonly #shells: Shells;
  #description: Promise<string> | undefined;

  constructor(options: LocalMachineOptions) {
    this.runsFolder = options.runsFolder;
    this.workFolder = options.workFolder;
    this.#clock = options.clock ?? systemClock;
    this.#env = options.env ?? process.env;
    this.#setupFields = () => options.setupFields?.() ?? Promise.resolve({});
    const env = this.#ownEnv();
    this.#shells = (options.env ? newShells : shellsBy)(this.#clock, env);
  }

  describe(): Promise<string> {
    this.#description ??= this.#describe();
    return this.#description;
  }

  async setup(): Promise<MachineSetup> {
    return localSetup(await this.#setupFields(), this.#env);
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const launch = { cwd: options.cwd ?? this.workFolder, env: commandEnv(this.#env, options.env) };
    return execLocal(command, launch, options, this.#clock);
  }

  query(script: string, options?: QueryOptions): Promise<string> {
    const { probes, queries } = this.#shells;
    return (options?.isProbe === true ? probes : queries).ask(script, options);
  }

  stream(script: string, options: StreamOptions): Promise<StreamResult> {
    const launch = { cwd: options.cwd ?? this.workFolder, env: this.#ownEnv() };
    return streamLocal(script, launch, options, this.#clock);
  }

  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void> {
    return spawnLocalDetached(argv, { cwd: options.cwd, env: commandEnv(this.#env, options.env) });
  }

  readFile(
    path: string,
    range?: { readonly offset: number; readonly maxBytes: number },
  ): Promise<Uint8Array> {
    return readLocalFile(path, range);
  }

  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<void> {
    return writeLocalFile(path, content, options);
  }

  appendFile(path: string, content: Uint8Array, options?: AppendOptions): Promise<void> {
    return appendLocalFile(path, content, options);
  }

  stat(path: string): Promise<FileStat | undefined> {
    return statLocal(path);
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    return new LocalFollow(path, offset, sink, this.#clock);
  }

  #ownEnv(): Record<string, string> {
    return ownEnv(this.#env, this.workFolder);
  }

  async #describe(): Promise<string> {
    const cpus = availableParallelism();
    const parts = ['this computer', counted(cpus, 'CPU'), `${Math.round(totalmem() / 2 ** 30)} GB`];
    const gpus = await this.#gpus();
    return [...parts, ...gpus].join(' · ');
  }

  /**
   * Returns one text per GPU model, such as `2 × NVIDIA A100`; empty when `nvidia-smi` is missing
   * or does not answer.
   */
  async #gpus(): Promise<string[]> {
    const query =
      'command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name --format=csv,noheader';
    const launch = { cwd: '/', env: this.#ownEnv() };
    const { outcome, stdout } = await execLocal(query, launch, { timeoutMs: 5000 }, this.#clock);
    if (outcome.kind !== 'exited' || outcome.code !== 0) return [];
    const names = stdout.split('\n').filter((line) => line.trim() !== '');
    return [...new Set(names)].map(
      (name) => `${names.filter((other) => other === name).length} × ${name.trim()}`,
    );
  }
}
