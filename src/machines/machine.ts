/**
 * Defines the contract of a machine: a place where commands run, be it the local host, an SSH host,
 * a Slurm cluster or a container. A machine knows nothing of runs, metrics or sessions.
 */
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { HeliosError } from '../base/errors.ts';

export type MachineKind = 'local' | 'ssh' | 'slurm' | 'container';

/** End of a short command. Nothing is guessed: without an exit status, there is no code. */
export type ExecOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed_out'; readonly afterMs: number }
  | { readonly kind: 'aborted' };

export interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** After this time, the command's whole process group is ended; the output so far is kept. */
  readonly timeoutMs?: number;
  /**
   * Bytes kept of each stream: half from the start, half from the end; omitted bytes are counted.
   * Default: 512 KiB.
   */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Omitted bytes, per stream. */
  readonly omittedBytes: { readonly stdout: number; readonly stderr: number };
  readonly outcome: ExecOutcome;
}

export interface StreamOptions {
  readonly cwd?: string;
  /**
   * Written to the command as fast as it reads; its input is then closed. Absent: no input. When
   * the source throws, the command is ended without closing its input first, and `stream` rejects
   * with that error. Not read further once the command has ended.
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /**
   * Receives every byte of stdout, in order. Reading pauses until a returned promise settles. When
   * it throws, the command is ended and `stream` rejects with that error.
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
  /** Starts when the script starts, not when it is queued. Default: 30 s. */
  readonly timeoutMs?: number;
}

export interface FileStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
}

export interface FollowSink {
  /** Receives the bytes of the file, in order, each once. `offset` is the position of the first. */
  onBytes(bytes: Uint8Array, offset: number): void;
  /**
   * Fires when another file of the folder changed, such as an exit record or a heartbeat. `name`:
   * its name, if known.
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
   * Tries at once, whatever happened before, because a user requested it. The user may be asked.
   */
  readonly isAnew?: boolean;
  /**
   * Connects for a user's action, and may ask for what only the user knows. Commands and writes do
   * the same. Reads, follows and reconnecting never ask; they fail with `auth` or `host_key`.
   */
  readonly mayAsk?: boolean;
}

export interface Machine {
  /** `local`, or the id of machines.json. */
  readonly id: string;
  readonly kind: MachineKind;
  /** Returns one line for users and models: `this computer · 8 CPUs · 32 GB`. */
  describe(): Promise<string>;
  /** Folder on the machine that holds the run folders, absolute. */
  readonly runsFolder: string;
  /** Default start folder of commands, absolute. */
  readonly workFolder: string;
  /** Meaning of `~` in paths, absolute; absent when the machine would have to be asked. */
  readonly homeFolder?: string | undefined;
  /**
   * Resolves once the folders are known; absent: they always are. Until then, reading them throws
   * `MachineFailure`.
   */
  ready?(options?: ReadyOptions): Promise<void>;
  /** Fires when the connection opens or drops. Never probes. Absent: changes are not reported. */
  readonly onDidChangeStatus?: Event<MachineStatus> | undefined;
  /**
   * Runs a short command with the user's shell. Rejects with `MachineFailure` only when the command
   * could not be run or its end is unknown.
   */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /**
   * Runs a short read-only POSIX sh script, and resolves with its complete stdout. Frequent calls
   * need neither a new process on the connection nor a login: a standing shell runs one script
   * after the other. The exit code is not reported; the script prints what matters. Rejects with
   * `MachineFailure`: `unreachable` when the connection is lost, `timeout`, or `io` for more than 4
   * MiB of output. The script is then ended; queued scripts are not affected.
   */
  query(script: string, options?: QueryOptions): Promise<string>;
  /**
   * Runs a command with unlimited input and output, such as one end of a transfer. Rejects as
   * `exec` does.
   */
  stream(command: string, options: StreamOptions): Promise<StreamResult>;
  /** Resources that the entry lets runs use; absent: no restriction. */
  readonly share?: MachineShare | undefined;
  /**
   * Starts and ends runs where direct processes are not allowed; absent: `spawnDetached` starts
   * them.
   */
  readonly scheduler?: Scheduler | undefined;
  /**
   * Starts a process that outlives this one, in its own session and without a terminal. Resolves
   * once it has started.
   */
  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void>;
  /**
   * Reads a whole file, or at most `maxBytes` from `offset`. Rejects with reason `missing` for a
   * missing file.
   */
  readFile(
    path: string,
    range?: { readonly offset: number; readonly maxBytes: number },
  ): Promise<Uint8Array>;
  /**
   * Writes atomically: readers see the old content or the new. Creates parent folders; keeps an
   * existing file's mode.
   */
  writeFile(path: string, content: Uint8Array): Promise<void>;
  appendFile(path: string, content: Uint8Array): Promise<void>;
  /** Resolves with `undefined` when nothing exists at `path`. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Follows an append-only file from a byte offset. The file may be created later. */
  follow(path: string, offset: number, sink: FollowSink): Follow;
}

/** Resources that the parallel runs of a machine share. */
export interface MachineShare {
  /** Maximum number of parallel runs; absent: unlimited. */
  readonly slots?: number | undefined;
  /** GPUs that runs may use, as `nvidia-smi` or `rocm-smi` number them; absent: all. */
  readonly gpuIds?: readonly string[] | undefined;
}

/** A command for a scheduler. */
export interface JobElement {
  /** Unique forever (the run id). Submitting the same name again returns the existing job. */
  readonly name: string;
  readonly argv: readonly string[];
  /** With a signal name as one more argument, sends that signal to the processes of the command. */
  readonly signalArgv: readonly string[];
  /** Runs before `argv` when the scheduler restarts a job that had already started. */
  readonly renewArgv: readonly string[];
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A job, identified for its scheduler and its submitter. */
export interface Job {
  readonly id: string;
  /** Name of the job's element. */
  readonly name: string;
}

/** Resources that a job needs of its node; the machine's entry supplies defaults. */
export interface JobResources {
  readonly gpus?: number;
  readonly cpus?: number;
  readonly memoryMb?: number;
}

export interface JobRequest {
  /** More than one: a job array, in this order. */
  readonly elements: readonly JobElement[];
  /** Maximum number of parallel elements of an array. */
  readonly maxParallel?: number;
  readonly resources?: JobResources;
  /** Limit of the scheduler, longer than the run's own limit so that the latter applies first. */
  readonly timeLimitMinutes?: number;
}

/** Why a job ended, as the scheduler reports it, with a code or signal where known. */
export type JobEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: number; readonly signal?: string }
  | { readonly kind: 'cancelled' | 'time_limit' | 'out_of_memory' | 'preempted' }
  | { readonly kind: 'node_failed'; readonly why: string };

export type JobState =
  /**
   * Waiting in the queue. `why` is the scheduler's reason: `Priority`, `Resources`, `QOSMaxJobs…`.
   */
  | { readonly kind: 'queued'; readonly why: string }
  | { readonly kind: 'running'; readonly node: string }
  | { readonly kind: 'ended'; readonly end: JobEnd; readonly endedMs: number }
  /**
   * Unknown to the scheduler, or forgotten. `isLeftOut`: the scheduler knows other elements of its
   * array. That happens to an element that was removed from the queue alone, and to one that ended
   * long before the others.
   */
  | { readonly kind: 'unknown'; readonly isLeftOut: boolean };

/**
 * A queue of jobs. Simultaneous state requests are sent as one. Every method rejects with
 * `MachineFailure`: `unreachable` or `timeout` when the queue does not answer, which says nothing
 * about a job; `denied` when it refuses a job. Files of a job, including `batch.log` with the
 * output of the batch script itself, are in `<runsFolder>/<name>`.
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
  /** Requests within about two seconds are sent as one; `isUrgent` shortens the wait. */
  state(jobId: string, options?: { readonly isUrgent?: boolean }): Promise<JobState>;
  /** Runs a POSIX sh script on the node of a job, and resolves with its stdout. */
  onNode(job: Job, script: string, timeoutMs: number): Promise<string>;
  /** Removes a job from the queue, or ends it. Does nothing for an ended job. */
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

/** Last known state of the connection to a machine, without asking the machine. */
export type MachineStatus =
  | { readonly kind: 'unused' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'unreachable'; readonly why: string };

/** The configured machines. `get` throws `MachineFailure('unknown_machine')` with the known ids. */
export interface Machines {
  list(): readonly Machine[];
  get(id: string): Machine;
  /** Fires when the list or a status changed. Absent: the machines never change. */
  readonly onDidChange?: Event<void>;
  /** Returns the last known status. Absent: every machine counts as connected. */
  status?(id: string): MachineStatus;
}
