import { closeSync, writeFileSync } from 'node:fs';
import { readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFileSync } from '../../base/heldFiles.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { MetricPoint } from '../metric.ts';
import { openIfThere } from '../../storage/openIfThere.ts';
import { diskError, openToAppend, writeAll, type WriteAt } from './appendOnly.ts';
import { NamesFile } from './namesFile.ts';
import { fileHeader, recordBytes, writeRecord, type PointRecord } from './pointRecord.ts';
import { readLines, type StoredRecords } from './storedRecords.ts';
import { readTotals, writeTotals, type RunTotals } from './totalsFile.ts';

const keptName = 'points.cut';
const headerName = 'points.header';
const minPendingBytes = recordBytes * 64;
const maxKeptBytes = recordBytes * 64 * 1024;
/** Maximum number of records in `points.bin`: 2.5 GB. */
const maxRecords = 64_000_000;
/** Maximum number of records in memory while they cannot be written: 20 MB. */
const maxPendingRecords = 500_000;

/** `full`: the file has its maximum size. `unwritable`: too many points could not be written. */
export type PointsFileEnd = 'full' | 'unwritable';

export interface PointsFileOptions {
  readonly folder: string;
  readonly write: WriteAt;
  /** Default: `maxRecords` and `maxPendingRecords`. */
  readonly limits?: Partial<PointsFileLimits> | undefined;
}

export interface PointsFileLimits {
  readonly records: number;
  readonly pendingRecords: number;
}

/**
 * Stored metrics of one run: `points.bin` (see pointRecord.ts) and `points.names`, both
 * append-only. Unreadable content (incomplete after a crash, or damaged) is reported as a problem
 * on opening, and moved to `points.cut` by the first write. The lines of that content are read
 * again from the run's output, so that no point is lost or doubled. Opening and reading do not
 * change the files, so a process may read them while another process writes them.
 *
 * The files stop growing at a maximum size, and when too many points wait because they cannot be
 * written. The file then ends at a line of the output, from where the output can be read again.
 */
export class PointsFile implements Disposable {
  readonly #folder: string;
  readonly #write: WriteAt;
  readonly #names: NamesFile;
  readonly #limits: PointsFileLimits;
  #size: number;
  #records: number;
  #pendingRecords = 0;
  #end: PointsFileEnd | undefined;
  #fd: number | undefined;
  #pending = new DataView(new ArrayBuffer(minPendingBytes));
  #pendingBytes = 0;
  #header: string;
  #isHeaderSaved = true;

  private constructor(
    { folder, write, limits = {} }: PointsFileOptions,
    opened: { names: NamesFile; size: number; header: string },
  ) {
    this.#folder = folder;
    this.#write = write;
    this.#limits = { records: maxRecords, pendingRecords: maxPendingRecords, ...limits };
    this.#names = opened.names;
    this.#size = opened.size;
    this.#header = opened.header;
    this.#records = Math.max(0, Math.floor((opened.size - fileHeader.length) / recordBytes));
    if (this.records >= this.#limits.records) this.#end = 'full';
  }

  /**
   * Opens the files and calls `onRecord` for each record of each complete line, with its position
   * in the file. Returns problems as texts for the user.
   */
  static async open(
    options: PointsFileOptions,
    onRecord: (record: PointRecord, metric: string, position: number) => void,
  ): Promise<{ readonly file: PointsFile; readonly problems: readonly string[] }> {
    const { folder, write } = options;
    const report = { problems: [] as string[], keptPath: join(folder, keptName) };
    let handle: FileHandle | undefined;
    try {
      handle = await openIfThere(join(folder, 'points.bin'));
      // Reads the size before the names: names are written before their points, so `points.names`
      // then has all names of the points up to this size, even while another process writes.
      const fileBytes = (await handle?.stat())?.size ?? 0;
      const names = await NamesFile.open(join(folder, 'points.names'), write, report);
      const namesInFile = names.count;
      const size = await readLines(handle, fileBytes, (record, position) =>
        onRecord(record, record.kind === 'point' ? names.nameAt(record.name) : '', position),
      );
      if (size < fileBytes) report.problems.push(surplusText(fileBytes - size));
      if (names.count > namesInFile)
        report.problems.push(
          `points.names: names are missing; their points are shown as metric_${namesInFile}, metric_${namesInFile + 1} and so on.`,
        );
      const header = await readFile(join(folder, headerName), 'utf8').catch(() => '');
      const file = new PointsFile(options, { names, size, header });
      return { file, problems: report.problems };
    } catch (error) {
      throw diskError(error, folder);
    } finally {
      await handle?.close();
    }
  }

  /** Number of records in the file and in memory. */
  get records(): number {
    return this.#records;
  }

  /** Why no more points are stored; `undefined` while points are stored. */
  get end(): PointsFileEnd | undefined {
    return this.#end;
  }

  /** Returns the index of a metric in the records of `stored`. */
  indexOf(metric: string): number {
    return this.#names.indexOf(metric);
  }

  /** Returns the name of the metric with an index in the records of `stored`. */
  nameAt(index: number): string {
    return this.#names.nameAt(index);
  }

  /** The records that are on disk. */
  get stored(): StoredRecords {
    return {
      path: join(this.#folder, 'points.bin'),
      records: this.#records - this.#pendingRecords,
    };
  }

  /**
   * Returns whether a line of output with `records` records can be added. If not, the file has
   * ended: the records must not be added.
   */
  takes(records: number): boolean {
    if (this.#end !== undefined) return false;
    if (this.#records + records > this.#limits.records) this.#end = 'full';
    else if (this.#pendingRecords + records > this.#limits.pendingRecords) this.#giveUp();
    return this.#end === undefined;
  }

  /**
   * Adds a record for the next `flush`. `end`: see `PointRecord.endOffset`. Returns its position in
   * the file.
   */
  add(kind: PointRecord['kind'], point: MetricPoint, end: number, isLastOfLine = true): number {
    if (this.#pendingBytes === this.#pending.byteLength) this.#growPending();
    const name = kind === 'point' ? this.#names.indexOf(point.metric) : 0;
    writeRecord(this.#pending, this.#pendingBytes, point, {
      kind,
      name,
      endOffset: end,
      isLastOfLine,
    });
    this.#pendingBytes += recordBytes;
    this.#pendingRecords++;
    return this.#records++;
  }

  /** The last header of a table in the output; empty if there is none. */
  get header(): string {
    return this.#header;
  }

  /** Stores the header of a table with the next `flush`, before its points. */
  keepHeader(header: string): void {
    this.#header = header;
    this.#isHeaderSaved = false;
  }

  #saveHeader(): void {
    if (this.#isHeaderSaved) return;
    const path = join(this.#folder, headerName);
    writeFileSync(`${path}.tmp`, this.#header, { mode: 0o600 });
    replaceFileSync(`${path}.tmp`, path);
    this.#isHeaderSaved = true;
  }

  /**
   * Writes the added records to disk. Throws `MetricsError` if writing fails; the next `flush` then
   * tries to write the same records again.
   */
  flush(): void {
    if (this.#pendingBytes === 0) return;
    try {
      this.#names.save();
      this.#saveHeader();
      this.#fd ??= openToAppend(
        join(this.#folder, 'points.bin'),
        this.#size,
        join(this.#folder, keptName),
      );
      if (this.#size === 0) this.#size = writeAll(this.#write, this.#fd, fileHeader, 0);
      const bytes = new Uint8Array(this.#pending.buffer, 0, this.#pendingBytes);
      this.#size = writeAll(this.#write, this.#fd, bytes, this.#size);
      this.#pendingBytes = 0;
      this.#pendingRecords = 0;
      // Releases a buffer that grew during a burst or on a full disk.
      if (this.#pending.byteLength > maxKeptBytes)
        this.#pending = new DataView(new ArrayBuffer(minPendingBytes));
    } catch (error) {
      throw diskError(error, this.#folder);
    }
  }

  /**
   * Writes totals. A failure is ignored: the output is then read
   * again after a restart.
   */
  writeTotals(totals: RunTotals): void {
    try {
      writeTotals(this.#folder, totals);
    } catch {
      // A failure is ignored; see the comment of the method.
    }
  }

  /** Returns the stored totals, if any. Rejects with `MetricsError`. */
  async readTotals(): Promise<RunTotals | undefined> {
    try {
      return await readTotals(this.#folder);
    } catch (error) {
      throw diskError(error, this.#folder);
    }
  }

  /** Closes the file; the next `flush` opens it again. */
  dispose(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Drops the records that could not be written. They are read from the run's output again. */
  #giveUp(): void {
    this.#end = 'unwritable';
    this.#records -= this.#pendingRecords;
    this.#pendingRecords = 0;
    this.#pendingBytes = 0;
    // Opening the file again moves the remains of a failed write to `points.cut`.
    this.dispose();
  }

  #growPending(): void {
    const larger = new Uint8Array(this.#pending.byteLength * 2);
    larger.set(new Uint8Array(this.#pending.buffer));
    this.#pending = new DataView(larger.buffer);
  }
}

const surplusText = (bytes: number): string =>
  `points.bin: ${bytes} bytes at the end are not a complete line of points. The points of that line are read again from the output.`;
