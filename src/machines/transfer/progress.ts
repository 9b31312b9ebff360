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
  readonly #tell: ((progress: TransferProgress) => void) | undefined;
  readonly #beganMs: number;
  #toldMs: number;

  constructor(
    clock: Clock,
    totals: { readonly totalBytes: number; readonly totalFiles: number },
    tell: ((progress: TransferProgress) => void) | undefined,
  ) {
    this.#clock = clock;
    this.#totals = totals;
    this.#tell = tell;
    this.#beganMs = clock.now();
    this.#toldMs = clock.now();
  }

  readonly onBytes = (count: number): void => {
    this.bytes += count;
    this.#perhaps();
  };

  placed(files: number): void {
    this.files += files;
    this.#perhaps();
  }

  #perhaps(): void {
    const nowMs = this.#clock.now();
    if (nowMs - this.#toldMs < quietMs) return;
    this.#toldMs = nowMs;
    const bytesPerSecond = this.bytes / Math.max(0.001, (nowMs - this.#beganMs) / 1000);
    this.#tell?.({ bytes: this.bytes, files: this.files, bytesPerSecond, ...this.#totals });
  }
}
