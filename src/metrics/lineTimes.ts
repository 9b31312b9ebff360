import type { LinePlace } from './lines/lineReader.ts';
import { readRecord, recordBytes } from './disk/pointRecord.ts';
import { readRecords, type StoredRecords } from './disk/storedRecords.ts';

/** Time of all lines, or of each line by the position after it, in milliseconds since the epoch. */
export type LineTime = number | ((end: number) => number);

/** Returns the place of the line that ends at `end`. */
export const placeAt = (end: number, time: LineTime): LinePlace => ({
  end,
  timeMs: typeof time === 'number' ? time : time(end),
});

/** Maximum number of times in memory. Of longer outputs, every second time is left out. */
const maxTimes = 200_000;

/**
 * The times at which the lines of an output were read for the first time, by the position after the
 * line. Between known lines, the time is interpolated.
 */
export class LineTimes {
  #ends: number[] = [];
  #timesMs: number[] = [];

  /** Adds the time of a line; ignores a line before the last one. */
  add(end: number, timeMs: number): void {
    const last = this.#ends.at(-1);
    if (!Number.isFinite(timeMs) || (last !== undefined && end <= last)) return;
    this.#ends.push(end);
    this.#timesMs.push(timeMs);
    if (this.#ends.length <= maxTimes) return;
    this.#ends = this.#ends.filter((_, index) => index % 2 === 0);
    this.#timesMs = this.#timesMs.filter((_, index) => index % 2 === 0);
  }

  /** Adds the times of recorded points, from position `from` of the file on. */
  async read(stored: StoredRecords | undefined, from: number): Promise<void> {
    if (stored === undefined) return;
    for await (const { view, count } of readRecords(stored, from))
      for (let at = 0; at < count; at++) {
        const record = readRecord(view, at * recordBytes);
        if (record !== undefined && record.kind !== 'clear')
          this.add(record.endOffset, record.timeMs);
      }
  }

  /** Returns the time of the line that ends at `end`; `undefined` after the last known line. */
  at(end: number): number | undefined {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? Infinity) < end) low = middle + 1;
      else high = middle;
    }
    const [toEnd, toMs] = [this.#ends[low], this.#timesMs[low]];
    if (toEnd === undefined || toMs === undefined) return undefined;
    const fromEnd = this.#ends[low - 1] ?? toEnd;
    const fromMs = Math.min(this.#timesMs[low - 1] ?? toMs, toMs);
    if (toEnd === end || fromEnd === toEnd) return toMs;
    return Math.round(fromMs + ((toMs - fromMs) * (end - fromEnd)) / (toEnd - fromEnd));
  }
}
