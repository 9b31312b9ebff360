/** Detects disks that are nearly full. */
import { Latch } from './latch.ts';

export interface DiskFacts {
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface DiskLimits {
  /**
   * Percentage of the disk. A disk is nearly full when its free space is below this percentage and
   * also below `belowGb`.
   */
  readonly belowPercent: number;
  /** Gigabytes (10^9 bytes); see `belowPercent`. */
  readonly belowGb: number;
}

const gigabyte = 1e9;
/** The alarm ends when the free space is at least this multiple of one of the two limits. */
const roomFactor = 1.5;

export class DiskWatch {
  readonly latch = new Latch();
  readonly #limits: DiskLimits;

  constructor(limits: DiskLimits) {
    this.#limits = limits;
  }

  /** Checks the disks. Returns the text of the alarm if one is to be raised. */
  judge(disks: readonly DiskFacts[]): string | undefined {
    const full = disks.find((disk) => this.#isBelow(disk, 1));
    if (full !== undefined) return this.latch.raise(() => diskText(full));
    if (disks.every((disk) => !this.#isBelow(disk, roomFactor))) this.latch.clear();
    return undefined;
  }

  #isBelow({ freeBytes, totalBytes }: DiskFacts, factor: number): boolean {
    const { belowPercent, belowGb } = this.#limits;
    return (
      freeBytes < factor * belowGb * gigabyte &&
      freeBytes < (factor * belowPercent * totalBytes) / 100
    );
  }
}

const diskText = ({ path, freeBytes, totalBytes }: DiskFacts): string =>
  `the disk of ${path} is nearly full: ${(freeBytes / gigabyte).toFixed(1)} GB (${((100 * freeBytes) / totalBytes).toFixed(1)} %) left`;
