/** What can be looked at on a machine again and again, and what is then known. */
import type { Machine } from '../machine.ts';

export interface FileState {
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** With a fraction where the file system keeps one. */
  readonly modifiedMs: number;
  /** Another one under the same path is another file. */
  readonly inode: string;
}

export interface ProcessState {
  readonly pid: number;
  /** Tells one process from a later one with the same pid; empty where the machine does not say. */
  readonly startTime: string;
}

export interface MatchingProcess extends ProcessState {
  /** The beginning of its command line. */
  readonly command: string;
}

export interface CommandState {
  /** `undefined`: it was ended, for it took too long. */
  readonly code: number | undefined;
  /** The end of each. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Paths are absolute and of one line. */
export type Probe =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'process'; readonly pid: number }
  /**
   * An extended regular expression, found anywhere in a command line; our own shells are never
   * meant.
   */
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'command'; readonly command: string }
  /** The event files of TensorBoard in and below a folder. */
  | { readonly kind: 'eventFiles'; readonly folder: string };

export interface ProbeAnswers {
  /** `undefined`: there is none. */
  readonly file: FileState | undefined;
  /** `undefined`: it is not alive. */
  readonly process: ProcessState | undefined;
  readonly pattern: readonly MatchingProcess[];
  readonly command: CommandState;
  /** `undefined`: the folder is not there. */
  readonly eventFiles: readonly FileState[] | undefined;
}

export type ProbeKind = Probe['kind'];
export type ProbeOf<Kind extends ProbeKind> = Extract<Probe, { kind: Kind }>;

export interface ProbeSink<Answer> {
  answer(answer: Answer): void;
  /** It could not be looked at this time, and why. */
  failed(message: string): void;
}

export type ProbedMachine = Pick<Machine, 'id' | 'query' | 'exec' | 'workFolder'>;
