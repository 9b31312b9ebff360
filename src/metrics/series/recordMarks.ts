const firstStride = 32;
const maxMarks = 1024;

/** A point that was written to the points file: its position in the series and in the file. */
export interface RecordMark {
  readonly index: number;
  readonly record: number;
}

/**
 * Positions in the points file of some points of a series, so that a part of the series can be read
 * without reading the file from its start.
 */
export class RecordMarks {
  #stride = firstStride;
  #records: number[] = [];

  /** Adds the point at position `index`. Every point must be added, in order. */
  add(index: number, record: number): void {
    if (index % this.#stride !== 0) return;
    if (this.#records.length === maxMarks) {
      this.#records = this.#records.filter((_, at) => at % 2 === 0);
      this.#stride *= 2;
      if (index % this.#stride !== 0) return;
    }
    this.#records.push(record);
  }

  /** Returns the last mark that is not after position `index`. */
  before(index: number): RecordMark | undefined {
    const at = Math.min(Math.floor(index / this.#stride), this.#records.length - 1);
    const record = this.#records[at];
    return record === undefined ? undefined : { index: at * this.#stride, record };
  }

  /** Returns the first marked record at or after position `index`; `undefined` if there is none. */
  recordFrom(index: number): number | undefined {
    return this.#records[Math.ceil(index / this.#stride)];
  }
}
