/** Defines the probes that a machine can answer, and their results. */
import type { Machine } from '../machine.ts';

export interface FileState {
  /** Absolute path of the file. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Time of the last change in milliseconds; may have a fraction. */
  readonly modifiedMs: number;
  /** Inode number. A changed number means that the file was replaced by another file. */
  readonly inode: string;
}

export interface ProcessState {
  readonly pid: number;
  /**
   * Start time, which distinguishes a process from a later one with the same pid. Empty if the
   * machine does not report start times.
   */
  readonly startTime: string;
}

export interface MatchingProcess extends ProcessState {
  /** First part of the command line. */
  readonly command: string;
  /** Process group. */
  readonly groupId?: number;
}

export interface CommandState {
  /** Exit code; `undefined` if the command timed out and was ended. */
  readonly code: number | undefined;
  /** Last part of stdout. */
  readonly stdout: string;
  /** Last part of stderr. */
  readonly stderr: string;
}

/** A question that a machine can answer. Paths are absolute and without line breaks. */
export type Probe =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'process'; readonly pid: number }
  /**
   * Processes whose command line contains a match of `pattern`, an extended regular expression.
   * Helios, what started it, and its own shells never match.
   */
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'command'; readonly command: string }
  /** TensorBoard event files in and below a folder. */
  | { readonly kind: 'eventFiles'; readonly folder: string };

export interface ProbeAnswers {
  /** `undefined` when the file does not exist. */
  readonly file: FileState | undefined;
  /** `undefined` when the process is not alive. */
  readonly process: ProcessState | undefined;
  readonly pattern: readonly MatchingProcess[];
  readonly command: CommandState;
  /** `undefined` when the folder does not exist. */
  readonly eventFiles: readonly FileState[] | undefined;
}

export type ProbeKind = Probe['kind'];
export type ProbeOf<Kind extends ProbeKind> = Extract<Probe, { kind: Kind }>;

export interface ProbeSink<Answer> {
  answer(answer: Answer): void;
  /** Called with the reason when a probe has failed. */
  failed(message: string): void;
}

export type ProbedMachine = Pick<Machine, 'id' | 'query' | 'exec' | 'workFolder'>;
