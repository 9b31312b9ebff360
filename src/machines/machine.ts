/**
 * A place where commands run. One contract for the local host, SSH hosts, Slurm clusters and containers. A machine knows
 * nothing of runs, metrics or sessions.
 */
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { HeliosError } from '../base/errors.ts';

export type MachineKind = 'local' | 'ssh' | 'slurm' | 'container';

/** How a short command came to its end. Nothing here is guessed: without an exit status there is no code. */
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
  /** Bytes kept of each stream: the first half and the last half; the rest is counted, not kept. Default 512 KiB. */
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

export interface FileStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly isDirectory: boolean;
}

export interface FollowSink {
  /** Bytes of the followed file, in order, each once. `offset` is the position of the first of them. */
  onBytes(bytes: Uint8Array, offset: number): void;
  /** Something in the folder beside the file changed (an exit record, a heartbeat): worth a look. */
  onChange(): void;
  onError(error: MachineFailure): void;
}

export interface Follow extends Disposable {
  /** Reads what is there now, up to the end of the file; resolves when `onBytes` has been given all of it. */
  drain(): Promise<void>;
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
   * Resolves once the folders are known; absent: they are. Before that, asking for them throws `MachineFailure`. `isAnew`:
   * a person wants it tried now, whatever was the case before.
   */
  ready?(options?: { readonly isAnew?: boolean }): Promise<void>;
  /** Runs a short command with the user's shell. Rejects with `MachineFailure` only when it could not be run or its end is not known. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
  /** Starts a process that outlives us, in a session of its own, detached from every terminal. Resolves once it was started. */
  spawnDetached(
    argv: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ): Promise<void>;
  /** Whole file, or the bytes from `offset` (at most `maxBytes`). Missing file: `MachineFailure` with reason `missing`. */
  readFile(path: string, range?: { readonly offset: number; readonly maxBytes: number }): Promise<Uint8Array>;
  /** Atomic: the old content or the new, never a mixture. Parent folders are made; an existing file's mode is kept. */
  writeFile(path: string, content: Uint8Array): Promise<void>;
  appendFile(path: string, content: Uint8Array): Promise<void>;
  /** `undefined` when there is nothing at `path`. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Follows an append-only file from a byte offset, also before it exists. */
  follow(path: string, offset: number, sink: FollowSink): Follow;
}

export type MachineFailureReason =
  'unreachable' | 'auth' | 'host_key' | 'timeout' | 'missing' | 'denied' | 'no_space' | 'unknown_machine' | 'io';

export class MachineFailure extends HeliosError {
  readonly reason: MachineFailureReason;

  constructor(reason: MachineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What is known of the way to a machine, without asking it. */
export type MachineStatus =
  { readonly kind: 'unused' } | { readonly kind: 'connected' } | { readonly kind: 'unreachable'; readonly why: string };

/** The machines that are configured now. `get` throws `MachineFailure('unknown_machine')` with the ids that exist. */
export interface Machines {
  list(): readonly Machine[];
  get(id: string): Machine;
  /** Absent: the machines never change. */
  readonly onDidChange?: Event<void>;
  /** Absent: every machine is taken to be connected. */
  status?(id: string): MachineStatus;
}
