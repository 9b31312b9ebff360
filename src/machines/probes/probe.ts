/** Defines the probes that a machine can answer, and their results. */
import type { Machine } from '../machine.ts';

export interface FileState {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Has a fraction where the file system stores one. */
  readonly modifiedMs: number;
  /** A different inode under the same path means a different file. */
  readonly inode: string;
}

export interface ProcessState {
  readonly pid: number;
  /**
   * Distinguishes a process from a later one with the same pid; empty when the machine does not
   * report it.
   */
  readonly startTime: string;
}

export interface MatchingProcess extends ProcessState {
  /** Start of its command line. */
  readonly command: string;
}

export interface CommandState {
  /** `undefined` when the command timed out and was ended. */
  readonly code: number | undefined;
  /** End of stdout; `stderr` likewise. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Paths are absolute and without line breaks. */
export type Probe =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'process'; readonly pid: number }
  /**
   * Extended regular expression that matches anywhere in a command line. Helios's own shells never
   * match.
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
  /** Receives why this attempt failed. */
  failed(message: string): void;
}

export type ProbedMachine = Pick<Machine, 'id' | 'query' | 'exec' | 'workFolder'>;
