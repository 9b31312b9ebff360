/**
 * A place where commands run. One contract for the local host, SSH hosts, Slurm clusters and
 * containers. A machine knows nothing of runs, metrics or sessions.
 */
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { HeliosError } from '../base/errors.ts';

export type MachineKind = 'local' | 'ssh' | 'slurm' | 'container';

/**
 * How a short command came to its end. Nothing here is guessed: without an exit status there is no
 * code.
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
  /** The command's whole process group is ended when the time is over; output so far is kept. */
  readonly timeoutMs?: number;
  /**
   * Bytes kept of each stream: the first half and the last half; the rest is counted, not kept.
   * Default 512 KiB.
   */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes that were not kept, per stream. */
  readonly omittedBytes: { readonly stdout: number; readonly stderr: number };
  readonly outcome: ExecOutcome;
}

export interface StreamOptions {
  readonly cwd?: string;
  /**
   * Written to the command as fast as it reads; then its input is closed. Absent: no input. When it
   * throws, the command is ended, its input not closed before, and `stream` rejects with that.
   * Asked for no more once the command has ended.
   */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /**
   * Every byte of stdout, in order. Nothing more is read before a promise that it returns has
   * settled. When it throws, the command is ended and `stream` rejects with that.
   */
  onStdout(bytes: Uint8Array): void | Promise<void>;
  readonly signal?: AbortSignal;
}

export interface StreamResult {
  readonly outcome: ExecOutcome;
  /** Its head and tail. */
  readonly stderr: string;
}

export interface QueryOptions {
  /** Counts from its turn. Default 30 s. */
  readonly timeoutMs?: number;
}

export interface FileStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
}

export interface FollowSink {
  /**
   * Bytes of the followed file, in order, each once. `offset` is the position of the first of them.
   */
  onBytes(bytes: Uint8Array, offset: number): void;
  /**
   * Something in the folder beside the file changed (an exit record, a heartbeat): worth a look.
   * `name`: what, if known.
   */
  onChange(name?: string): void;
  onError(error: MachineFailure): void;
}

export interface Follow extends Disposable {
  /**
   * Reads what is there now, up to the end of the file; resolves when `onBytes` has been given all
   * of it.
   */
  drain(): Promise<void>;
}

export interface ReadyOptions {
  /** A user wants it tried now, whatever was the case before. They may be asked. */
  readonly isAnew?: boolean;
  /**
   * Something is done there for somebody: it is connected to, and the user may be asked for what
   * only they can say. So do commands and writing. Looking, following and coming back after an
   * outage never ask; they fail with `auth` or `host_key`.
   */
  readonly mayAsk?: boolean;
}

export interface Machine {
  /** `local`, or the id of machines.json. */
  readonly id: string;
  readonly kind: MachineKind;
  /** One line for people and models: `this computer · 8 CPUs · 32 GB`. */
  describe(): Promise<string>;
  /** The folder on the machine in which run folders live, absolute. */
  readonly runsFolder: string;
  /** Where commands start when no folder is named, absolute. */
  readonly workFolder: string;
  /** What `~` stands for in paths, absolute, where it is known without asking the machine. */
  readonly homeFolder?: string | undefined;
  /**
   * Resolves once the folders are known; absent: they are. Before that, asking for them throws
   * `MachineFailure`.
   */
  ready?(options?: ReadyOptions): Promise<void>;
  /**
   * The way to it was found or lost, told as it happens, without anything being asked. Absent: it
   * is not told.
   */
  readonly onDidChangeStatus?: Event<MachineStatus> | undefined;
  /**
   * Runs a short command with the user's shell. Rejects with `MachineFailure` only when it could
   * not be run or its end is not known.
   */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /**
   * Runs a short POSIX-sh script that only looks, and resolves with its stdout, every character of
   * it. Asked often, it costs neither a process of its own on the way nor a login: a shell that
   * stays answers, one script after the other. Its exit code is not told; let it print what counts.
   * Rejects with `MachineFailure`: `unreachable` when the way is lost, `timeout` when it takes too
   * long, `io` when its output is larger than 4 MiB; it is then ended, and those that wait behind
   * it are answered as if nothing had been.
   */
  query(script: string, options?: QueryOptions): Promise<string>;
  /**
   * Runs a command whose input and output are without limit, such as one end of a transfer. Rejects
   * as `exec` does.
   */
  stream(command: string, options: StreamOptions): Promise<StreamResult>;
  /** What its entry lets runs take; absent: nothing is said of it. */
  readonly share?: MachineShare | undefined;
  /**
   * What starts and ends runs where processes may not be started directly; absent: `spawnDetached`
   * does.
   */
  readonly scheduler?: Scheduler | undefined;
  /**
   * Starts a process that outlives us, in a session of its own, detached from every terminal.
   * Resolves once it was started.
   */
  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void>;
  /**
   * Whole file, or the bytes from `offset` (at most `maxBytes`). Missing file: `MachineFailure`
   * with reason `missing`.
   */
  readFile(
    path: string,
    range?: { readonly offset: number; readonly maxBytes: number },
  ): Promise<Uint8Array>;
  /**
   * Atomic: the old content or the new, never a mixture. Parent folders are made; an existing
   * file's mode is kept.
   */
  writeFile(path: string, content: Uint8Array): Promise<void>;
  appendFile(path: string, content: Uint8Array): Promise<void>;
  /** `undefined` when there is nothing at `path`. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Follows an append-only file from a byte offset, also before it exists. */
  follow(path: string, offset: number, sink: FollowSink): Follow;
}

/** What the parallel runs of a machine share. */
export interface MachineShare {
  /** At most so many runs at a time; absent: as many as are started. */
  readonly slots?: number | undefined;
  /** The GPUs that runs may take, as `nvidia-smi` or `rocm-smi` number them; absent: all. */
  readonly gpuIds?: readonly string[] | undefined;
}

/** One command for a scheduler. */
export interface JobElement {
  /** Unique for ever (the run id): asked again under this name, the job that is there is meant. */
  readonly name: string;
  readonly argv: readonly string[];
  /** With a signal's name as one more argument, hands it to the processes of the command. */
  readonly signalArgv: readonly string[];
  /** Run before `argv` when the scheduler begins a job anew that had begun already. */
  readonly renewArgv: readonly string[];
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A job as its scheduler and its submitter know it. */
export interface Job {
  readonly id: string;
  /** Of its element. */
  readonly name: string;
}

/** What a job needs of its node; what is absent is as the machine's entry says. */
export interface JobResources {
  readonly gpus?: number;
  readonly cpus?: number;
  readonly memoryMb?: number;
}

export interface JobRequest {
  /** More than one: a job array, in this order. */
  readonly elements: readonly JobElement[];
  /** Of an array: at most so many at a time. */
  readonly maxParallel?: number;
  readonly resources?: JobResources;
  /**
   * The scheduler's own limit: above what the run is allowed, so that the run's limit comes first.
   */
  readonly timeLimitMinutes?: number;
}

/** Why a job is over, in the scheduler's words; a code or signal where it says one. */
export type JobEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly code: number; readonly signal?: string }
  | { readonly kind: 'cancelled' | 'time_limit' | 'out_of_memory' | 'preempted' }
  | { readonly kind: 'node_failed'; readonly why: string };

export type JobState =
  /**
   * Waits in the queue. `why` is the scheduler's reason: `Priority`, `Resources`, `QOSMaxJobs…`.
   */
  | { readonly kind: 'queued'; readonly why: string }
  | { readonly kind: 'running'; readonly node: string }
  | { readonly kind: 'ended'; readonly end: JobEnd; readonly endedMs: number }
  /**
   * The scheduler does not know it, or not any more. `isLeftOut`: it knows others of its array. So
   * it is with one that was taken out of the queue alone, and with one that ended long before them.
   */
  | { readonly kind: 'unknown'; readonly isLeftOut: boolean };

/**
 * A queue of jobs. All questions of a moment are asked together, once. Everything rejects with
 * `MachineFailure`: a queue that does not answer is `unreachable` or `timeout`, and says nothing of
 * a job; what it refuses to take is `denied`. What it keeps of a job, and `batch.log` with what the
 * job said beside its command, is in `<runsFolder>/<name>`.
 */
export interface Scheduler {
  /** A job that had begun may be put back into the queue. */
  readonly mayRequeue: boolean;
  /** The ids of the jobs, in the order of the elements: `4711`, or `4711_3` in an array. */
  submit(request: JobRequest): Promise<readonly string[]>;
  /** The id of the job that was submitted under a name, by whomever; `undefined` when none was. */
  find(name: string): Promise<string | undefined>;
  /** Questions of about two seconds are one; who is `isUrgent` waits a moment only. */
  state(jobId: string, options?: { readonly isUrgent?: boolean }): Promise<JobState>;
  /** Runs a POSIX-sh script where a job runs, and resolves with its stdout. */
  onNode(job: Job, script: string, timeoutMs: number): Promise<string>;
  /** Takes it out of the queue, or ends it. Of one that is over: nothing happens. */
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

/** What is known of the way to a machine, without asking it. */
export type MachineStatus =
  | { readonly kind: 'unused' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'unreachable'; readonly why: string };

/**
 * The machines that are configured now. `get` throws `MachineFailure('unknown_machine')` with the
 * ids that exist.
 */
export interface Machines {
  list(): readonly Machine[];
  get(id: string): Machine;
  /** Absent: the machines never change. */
  readonly onDidChange?: Event<void>;
  /** Absent: every machine is taken to be connected. */
  status?(id: string): MachineStatus;
}
