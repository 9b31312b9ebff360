/** What is asked of a transfer, and what it tells. */
import type { Clock } from '../../base/clock.ts';
import type { MachineFailure } from '../machine.ts';
import type { Place } from './ends.ts';
import type { TransferProgress } from './progress.ts';

export interface TransferRequest {
  readonly from: Place;
  /** The new name: the content of a folder is merged into a folder that is there. */
  readonly to: Place;
  /** As in .gitignore, from the root of what is sent. */
  readonly exclude?: readonly string[];
  /** What the .gitignore files of the tree name is left out too. */
  readonly gitignore?: boolean;
  /** Content decides whether a file is the same, not its size and time. */
  readonly checksum?: boolean;
  /** What is at the destination and not at the source is deleted. Default: nothing is. */
  readonly delete?: boolean;
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** A few times a second at most. */
  onProgress?(progress: TransferProgress): void;
}

export interface TransferReport {
  /**
   * `partial`: some could not be sent, `problems` says which · `stopped`: `failure` says why, the
   * rest was not tried.
   */
  readonly outcome: 'complete' | 'partial' | 'stopped' | 'aborted' | 'dry_run';
  readonly failure?: MachineFailure;
  /** At their place now, and not before. */
  readonly files: number;
  readonly links: number;
  readonly folders: number;
  readonly deleted: number;
  /** Were there. */
  readonly same: number;
  /** Left out by a rule; what is in an excluded folder is not counted. */
  readonly excluded: readonly string[];
  readonly planned: { readonly files: number; readonly bytes: number };
  /** That went from the one to the other for this, headers of archives included. */
  readonly sentBytes: number;
  readonly problems: readonly { readonly path: string; readonly why: string }[];
  readonly durationMs: number;
}
