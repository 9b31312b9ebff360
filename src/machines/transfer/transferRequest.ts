/** Defines the request and the report of a transfer. */
import type { Clock } from '../../base/clock.ts';
import type { MachineFailure } from '../machine.ts';
import type { Place } from './ends.ts';
import type { TransferProgress } from './progress.ts';

export interface TransferRequest {
  readonly from: Place;
  /**
   * Path of the copy, including its name. If a folder exists at this path, the content of the sent
   * folder is merged into that folder.
   */
  readonly to: Place;
  /** Patterns in .gitignore syntax, relative to the sent folder. */
  readonly exclude?: readonly string[];
  /** True to also exclude what .gitignore files in the sent folder exclude. */
  readonly gitignore?: boolean;
  /** True to compare the content of files instead of size and time. */
  readonly checksum?: boolean;
  /** True to delete items that exist only at the destination. Default: false. */
  readonly delete?: boolean;
  /**
   * Returns why a file or folder must not be written, as the rest of a sentence; `undefined` if it
   * may be written. `path` is the absolute path at the destination, with links resolved. Refused
   * items are skipped; a folder with all its content. Default: everything may be written.
   */
  refusal?(path: string, isFolder: boolean): string | undefined;
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Called a few times a second at most. */
  onProgress?(progress: TransferProgress): void;
}

export interface TransferReport {
  /**
   * `partial`: some items could not be sent, see `problems` · `stopped`: see `failure`; the
   * remaining items were not tried.
   */
  readonly outcome: 'complete' | 'partial' | 'stopped' | 'aborted' | 'dry_run';
  readonly failure?: MachineFailure;
  /** Number of files that were created or replaced at the destination. */
  readonly files: number;
  readonly links: number;
  readonly folders: number;
  readonly deleted: number;
  /** Number of items that were already equal. */
  readonly same: number;
  /** Items excluded by a rule; an excluded folder is listed without its content. */
  readonly excluded: readonly string[];
  /** Items that `refusal` refused. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
  readonly planned: { readonly files: number; readonly bytes: number };
  /** Bytes sent between the machines, including archive headers. */
  readonly sentBytes: number;
  readonly problems: readonly { readonly path: string; readonly why: string }[];
  readonly durationMs: number;
}
