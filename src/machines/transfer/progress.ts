/** Reports the progress of a transfer at intervals. */
import type { Clock } from '../../base/clock.ts';

export interface TransferProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Number of files at their destination. */
  readonly files: number;
  readonly totalFiles: number;
  /** Average rate since the first byte. */
  readonly bytesPerSecond: number;
}

const quietMs = 300;

export class Progress {
  bytes = 0;
  files = 0;
  readonly #clock: Clock;
  readonly #totals: { readonly totalBytes: number; readonly totalFiles: number };
  readonly #report: ((progress: TransferProgress) => void) | undefined;
  readonly #beganMs: number;
  #reportedMs: number;

  constructor(
    clock: Clock,
    totals: { readonly totalBytes: number; readonly totalFiles: number },
    report: ((progress: TransferProgress) => void) | undefined,
  ) {
    this.#clock = clock;
    this.#totals = totals;
    this.#report = report;
    this.#beganMs = clock.now();
    this.#reportedMs = clock.now();
  }

  readonly onBytes = (count: number): void => {
    this.bytes += count;
    this.#reportIfDue();
  };

  placed(files: number): void {
    this.files += files;
    this.#reportIfDue();
  }

  #reportIfDue(): void {
    const nowMs = this.#clock.now();
    if (nowMs - this.#reportedMs < quietMs) return;
    this.#reportedMs = nowMs;
    const bytesPerSecond = this.bytes / Math.max(0.001, (nowMs - this.#beganMs) / 1000);
    this.#report?.({ bytes: this.bytes, files: this.files, bytesPerSecond, ...this.#totals });
  }
}
