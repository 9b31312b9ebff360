/**
 * Defines the contract of a machine: a place where commands run, which is this computer, an SSH
 * host, a Slurm cluster or a container. Machines do not depend on runs, metrics or sessions.
 */
import type { PlatformPath } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { HeliosError } from '../base/errors.ts';
import type { HostContact } from './confinement/hostContacts.ts';
import type { FilesOnly } from './filesOnly.ts';

export type MachineKind = 'local' | 'ssh' | 'slurm' | 'container';

/**
 * Outcome of a short command. `code` is present only if the command itself returned an exit status.
 */
export type ExecOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  | { readonly kind: 'aborted' };

export interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /**
   * Time limit, after which the command's whole process group is ended. The output up to then is
   * returned.
   */
  readonly timeoutMs?: number;
  /**
   * Maximum number of bytes returned per stream: half from the start, half from the end. Omitted
   * bytes are counted. Default: 512 KiB.
   */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Number of omitted bytes per stream. */
  readonly omittedBytes: { readonly stdout: number; readonly stderr: number };
  readonly outcome: ExecOutcome;
  /** Hosts that a command asked for, if it is confined to a list of hosts. */
  readonly contacts?: readonly HostContact[];
}

export interface StreamOptions {
  readonly cwd?: string;
  /**
   * Input of the command, written as fast as the command reads. The command's stdin is closed at
   * the end of the source. Default: no input. If the source throws, the command is ended with its
   * stdin still open, and `stream` rejects with that error. The source is not read further once the
   * command has ended.
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /**
   * Called with every byte of stdout, in order. Reading pauses until a returned promise settles. If
   * the callback throws, the command is ended and `stream` rejects with that error.
   */
  onStdout(bytes: Uint8Array): void | Promise<void>;
  readonly signal?: AbortSignal;
}

export interface StreamResult {
  readonly outcome: ExecOutcome;
  /** First and last bytes of stderr. */
  readonly stderr: string;
}

export interface QueryOptions {
  /**
   * Time limit, counted from the start of the script, without the time in the queue. Default: 30 s.
   */
  readonly timeoutMs?: number;
  /**
   * True for probes of resources, which may take long: on this computer, other queries do not wait
   * for them.
   */
  readonly isProbe?: boolean;
}

export interface FileStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
}

export interface FollowSink {
  /**
   * Called with new bytes of the file, in order and each once. `offset` is the position of the
   * first byte. If a promise is returned, the next bytes are read after it settles.
   */
  onBytes(bytes: Uint8Array, offset: number): void | Promise<void>;
  /**
   * Called when another file in the same folder has changed, such as an exit record or a heartbeat.
   * `name` is the name of that file, if known.
   */
  onChange(name?: string): void;
  onError(error: MachineFailure): void;
}

export interface Follow extends Disposable {
  /** Reads to the current end of the file; resolves when `onBytes` has received all of it. */
  drain(): Promise<void>;
}

export interface ReadyOptions {
  /**
   * True if the user requested a new attempt: connects without delay, whatever failed before. The
   * user may be asked.
   */
  readonly isAnew?: boolean;
  /**
   * True if the user may be asked for secrets and decisions while connecting. Commands and writes
   * may always ask. Reads, follows and reconnecting never ask; they fail with `auth` or `host_key`.
   */
  readonly mayAsk?: boolean;
}

export interface WriteOptions {
  /** True when only the user of the machine can access a new file and new parent folders. */
  readonly isPrivate?: boolean;
  /**
   * Real path of the file, which was judged. The call rejects with `denied` if a link has taken the
   * place of a folder in it since. Checked on machines that show open folders as paths, which are
   * those that confine commands.
   */
  readonly realPath?: string;
}

export type AppendOptions = Pick<WriteOptions, 'realPath'>;

export interface Machine {
  /** `local`, or the machine's id in machines.json. */
  readonly id: string;
  readonly kind: MachineKind;
  /** Functions for the paths of the machine: those of Windows for this computer if it runs Windows. */
  readonly path: PlatformPath;
  /** Present if no command can run on the machine; `exec` and its kind then reject. */
  readonly filesOnly?: FilesOnly | undefined;
  /** Returns one line for users and models: `this computer · 8 CPUs · 32 GB`. */
  describe(): Promise<string>;
  /** Absolute path of the folder on the machine that contains the run folders. */
  readonly runsFolder: string;
  /** Absolute path of the folder in which commands start by default. */
  readonly workFolder: string;
  /** Absolute path that `~` stands for; absent if finding it would need a query to the machine. */
  readonly homeFolder?: string | undefined;
  /**
   * Resolves once the folders are known; until then, reading the folder properties throws
   * `MachineFailure`. Absent if the folders are always known.
   */
  ready?(options?: ReadyOptions): Promise<void>;
  /**
   * Fires when the connection opens or is lost. Listening does not cause any connection. Absent if
   * changes are not reported.
   */
  readonly onDidChangeStatus?: Event<MachineStatus> | undefined;
  /**
   * Runs a short command with the user's shell. Rejects with `MachineFailure` only when the command
   * could not be run or its end is unknown.
   */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /**
   * Runs a short read-only POSIX sh script, and resolves with its complete stdout. Suited to
   * frequent calls: a shell that stays open runs one script after the other, without a new session
   * or login. The exit code is not reported, so the script must print what matters. Rejects with
   * `MachineFailure`: `unreachable` when the connection is lost, `timeout`, or `io` for more than 4
   * MiB of output. After a failure, the script is ended; queued scripts are not affected.
   */
  query(script: string, options?: QueryOptions): Promise<string>;
  /**
   * Runs a POSIX sh script with unlimited input and output, such as one end of a transfer. Rejects
   * as `exec` does.
   */
  stream(script: string, options: StreamOptions): Promise<StreamResult>;
  /**
   * Resolves with the user's setup for commands and runs. `exec` and `spawnDetached` do not apply
   * the setup themselves, because Helios also uses them for its own work. Absent if nothing is set
   * up. Never rejects.
   */
  setup?(): Promise<MachineSetup>;
  /** Resources of the machine that runs may use, as set in its entry. Default: no restriction. */
  readonly share?: MachineShare | undefined;
  /**
   * The scheduler that starts and ends runs on this machine. Absent if `spawnDetached` starts runs.
   */
  readonly scheduler?: Scheduler | undefined;
  /**
   * Starts a process that outlives this process, in a separate session and without a terminal.
   * Resolves once the new process has started.
   */
  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void>;
  /**
   * Reads a whole file, or at most `maxBytes` from `offset`. Rejects with reason `missing` for a
   * missing file, and with `io` for a whole file larger than `maxWholeFileBytes`.
   */
  readFile(
    path: string,
    range?: { readonly offset: number; readonly maxBytes: number },
  ): Promise<Uint8Array>;
  /**
   * Writes a whole file atomically: readers see either the old or the new content. Creates parent
   * folders; keeps an existing file's mode.
   */
  writeFile(path: string, content: Uint8Array, options?: WriteOptions): Promise<void>;
  appendFile(path: string, content: Uint8Array, options?: AppendOptions): Promise<void>;
  /** Resolves with `undefined` when nothing exists at `path`. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Follows an append-only file from a byte offset. The file may be created later. */
  follow(path: string, offset: number, sink: FollowSink): Follow;
}

/** Environment and prologue of commands and runs on a machine, as the user set them up. */
export interface MachineSetup {
  /** Variables of every foreground command and run. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of this computer that runs get in addition, such as `WANDB_API_KEY`. */
  readonly runEnv: Readonly<Record<string, string>>;
  /** Shell lines to run before the command of every run and foreground command. */
  readonly prologue: readonly string[];
  /**
   * Names of variables, such as API keys, that are set on this computer and withheld from
   * foreground commands. Runs get the variables in `runEnv`.
   */
  readonly withheld: readonly string[];
  /** Settings for confinement in the entry of the machine; omitted if it has none. */
  readonly confinement?: ConfinementFields | undefined;
}

/** Settings in the entry of a machine for the confinement of commands and runs. */
export interface ConfinementFields {
  /** True if commands must never run unconfined, whatever the user's setting is. */
  readonly required?: boolean | undefined;
  /** Folders that commands may change, in addition to the working folder; may begin with `~/`. */
  readonly writable?: readonly string[] | undefined;
  /** Hosts: see `hostPattern`. */
  readonly network?: 'all' | 'none' | readonly string[] | undefined;
}

/** Resources that the parallel runs of a machine share. */
export interface MachineShare {
  /** Maximum number of parallel runs. Default: unlimited. */
  readonly slots?: number | undefined;
  /** GPUs that runs may use, as numbered by `nvidia-smi` or `rocm-smi`. Default: all. */
  readonly gpuIds?: readonly string[] | undefined;
}

/** A command that a scheduler runs: as a job of its own, or as an element of a job array. */
export interface JobElement {
  /**
   * Unique name of the element: the run id. If the name was submitted before, submitting it again
   * returns the existing job.
   */
  readonly name: string;
  readonly argv: readonly string[];
  /**
   * Command that sends a signal to the processes of `argv`. The name of the signal is appended as
   * the last argument.
   */
  readonly signalArgv: readonly string[];
  /** Command to run before `argv` when the scheduler restarts a job that had already started. */
  readonly renewArgv: readonly string[];
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A job, identified by its id (for the scheduler) and its name (for Helios). */
export interface Job {
  readonly id: string;
  /** Name of the job's element. */
  readonly name: string;
}

/** Resources that a job needs on its node. Defaults come from the machine's entry. */
export interface JobResources {
  readonly gpus?: number;
  readonly cpus?: number;
  readonly memoryMb?: number;
}

export interface JobRequest {
  /** Commands to run. Several elements form a job array, in this order. */
  readonly elements: readonly JobElement[];
  /** Maximum number of parallel elements of an array. */
  readonly maxParallel?: number;
  readonly resources?: JobResources;
  /**
   * Time limit that the scheduler enforces. Longer than the run's own limit, so that the run's own
   * limit applies first.
   */
  readonly timeLimitMinutes?: number;
}

/** End of a job as the scheduler reports it, with the exit code or signal if known. */
export type JobEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: number; readonly signal?: string }
  | { readonly kind: 'cancelled' | 'time_limit' | 'out_of_memory' | 'preempted' }
  | { readonly kind: 'node_failed'; readonly why: string };

export type JobState =
  /**
   * The job waits in the queue. `why`: the scheduler's reason, such as `Priority` or `Resources`.
   */
  | { readonly kind: 'queued'; readonly why: string }
  | { readonly kind: 'running'; readonly node: string }
  | { readonly kind: 'ended'; readonly end: JobEnd; readonly endedMs: number }
  /**
   * The scheduler has never known the job, or has forgotten it. `isLeftOut` is true if the
   * scheduler knows other elements of the same array, which means that this element was removed
   * from the queue or ended long before the others.
   */
  | { readonly kind: 'unknown'; readonly isLeftOut: boolean };

/**
 * A queue of jobs. Simultaneous state requests are combined into one. Every method rejects with
 * `MachineFailure`: `unreachable` or `timeout` when the queue does not answer, in which case the
 * state of the job is unknown; `denied` when the queue refuses a job. Files of a job, including
 * `batch.log` with the output of the batch script itself, are in `<runsFolder>/<name>`.
 */
export interface Scheduler {
  /** Whether the scheduler may requeue a job that had started. */
  readonly mayRequeue: boolean;
  /**
   * Resolves with the ids of the jobs, in the order of the elements: `4711`, or `4711_3` in an
   * array.
   */
  submit(request: JobRequest): Promise<readonly string[]>;
  /**
   * Resolves with the id of the job submitted under a name, by any process; `undefined` when there
   * is none.
   */
  find(name: string): Promise<string | undefined>;
  /**
   * Resolves with the state of a job. Requests within about two seconds are combined; `isUrgent`
   * shortens the wait.
   */
  state(jobId: string, options?: { readonly isUrgent?: boolean }): Promise<JobState>;
  /** Runs a POSIX sh script on the node of a job, and resolves with its stdout. */
  onNode(job: Job, script: string, timeoutMs: number): Promise<string>;
  /**
   * Removes a job from the queue, or ends the job if it is running. Does nothing if the job has
   * ended.
   */
  cancel(jobId: string): Promise<void>;
}

export type MachineFailureReason =
  | 'unreachable'
  | 'auth'
  | 'host_key'
  | 'timeout'
  | 'missing'
  | 'denied'
  | 'no_space'
  | 'unknown_machine'
  | 'io';

export class MachineFailure extends HeliosError {
  readonly reason: MachineFailureReason;

  constructor(reason: MachineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Last known state of the connection to a machine. `unused`: no call has shown yet whether the
 * machine is reachable.
 */
export type MachineStatus =
  | { readonly kind: 'unused' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'unreachable'; readonly why: string };

/** The configured machines. `get` throws `MachineFailure('unknown_machine')` with the known ids. */
export interface Machines {
  list(): readonly Machine[];
  get(id: string): Machine;
  /** Fires when the list or a status has changed. Absent if the machines never change. */
  readonly onDidChange?: Event<void>;
  /**
   * Returns the last known status of a machine. Absent if every machine is considered connected.
   */
  status?(id: string): MachineStatus;
}
