import { closeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { openIfThere } from '../storage/openIfThere.ts';
import { diskError, openToAppend, writeAll, type WriteAt } from './appendOnly.ts';
import { NamesFile } from './namesFile.ts';
import {
  fileHeader,
  readRecord,
  recordBytes,
  writeRecord,
  type PointRecord,
} from './pointRecord.ts';

/**
 * A record with the name of its metric instead of an index. The name is empty for records without a
 * metric.
 */
export type NamedRecord = Omit<PointRecord, 'name'> & { readonly metric: string };

const keptName = 'points.cut';
const recordsPerRead = 16 * 1024;
const minPendingBytes = recordBytes * 64;
const maxKeptBytes = recordBytes * 64 * 1024;

/**
 * Stored metrics of one run: `points.bin` (see pointRecord.ts) and `points.names`, both
 * append-only. Unreadable content (incomplete after a crash, or damaged) is reported as a problem
 * on opening, and moved to `points.cut` by the first write. The lines of that content are read
 * again from the run's output, so that no point is lost or doubled. Opening and reading do not
 * change the files, so a process may read them while another process writes them.
 */
export class PointsFile implements Disposable {
  readonly #folder: string;
  readonly #write: WriteAt;
  readonly #names: NamesFile;
  #size: number;
  #fd: number | undefined;
  #pending = new DataView(new ArrayBuffer(minPendingBytes));
  #pendingBytes = 0;

  private constructor(folder: string, write: WriteAt, opened: { names: NamesFile; size: number }) {
    this.#folder = folder;
    this.#write = write;
    this.#names = opened.names;
    this.#size = opened.size;
  }

  /**
   * Opens the files and calls `onRecord` for each record of each complete line. Returns problems as
   * texts for the user.
   */
  static async open(
    folder: string,
    write: WriteAt,
    onRecord: (record: NamedRecord) => void,
  ): Promise<{ readonly file: PointsFile; readonly problems: readonly string[] }> {
    const report = { problems: [] as string[], keptPath: join(folder, keptName) };
    let handle: FileHandle | undefined;
    try {
      handle = await openIfThere(join(folder, 'points.bin'));
      // Reads the size before the names: names are written before their points, so `points.names`
      // then has all names of the points up to this size, even while another process writes.
      const fileBytes = (await handle?.stat())?.size ?? 0;
      const names = await NamesFile.open(join(folder, 'points.names'), write, report);
      const namesInFile = names.count;
      const size = await readLines(handle, fileBytes, (record) =>
        onRecord({ ...record, metric: record.kind === 'point' ? names.nameAt(record.name) : '' }),
      );
      if (size < fileBytes) report.problems.push(surplusText(fileBytes - size));
      if (names.count > namesInFile)
        report.problems.push(
          `points.names: names are missing; their points are shown as metric_${namesInFile}, metric_${namesInFile + 1} and so on.`,
        );
      return { file: new PointsFile(folder, write, { names, size }), problems: report.problems };
    } catch (error) {
      throw diskError(error, folder);
    } finally {
      await handle?.close();
    }
  }

  /** Adds a record for the next `flush`. */
  add(record: NamedRecord): void {
    if (this.#pendingBytes === this.#pending.byteLength) this.#growPending();
    const name = record.kind === 'point' ? this.#names.indexOf(record.metric) : 0;
    writeRecord(this.#pending, this.#pendingBytes, record, name);
    this.#pendingBytes += recordBytes;
  }

  /**
   * Writes the added records to disk. Throws `MetricsError` if writing fails; the next `flush` then
   * tries to write the same records again.
   */
  flush(): void {
    if (this.#pendingBytes === 0) return;
    try {
      this.#names.save();
      this.#fd ??= openToAppend(
        join(this.#folder, 'points.bin'),
        this.#size,
        join(this.#folder, keptName),
      );
      if (this.#size === 0) this.#size = writeAll(this.#write, this.#fd, fileHeader, 0);
      const bytes = new Uint8Array(this.#pending.buffer, 0, this.#pendingBytes);
      this.#size = writeAll(this.#write, this.#fd, bytes, this.#size);
      this.#pendingBytes = 0;
      // Releases a buffer that grew during a burst or on a full disk.
      if (this.#pending.byteLength > maxKeptBytes)
        this.#pending = new DataView(new ArrayBuffer(minPendingBytes));
    } catch (error) {
      throw diskError(error, this.#folder);
    }
  }

  /** Closes the file; the next `flush` opens it again. */
  dispose(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #growPending(): void {
    const larger = new Uint8Array(this.#pending.byteLength * 2);
    larger.set(new Uint8Array(this.#pending.buffer));
    this.#pending = new DataView(larger.buffer);
  }
}

type OnRecord = (record: PointRecord) => void;

const surplusText = (bytes: number): string =>
  `points.bin: ${bytes} bytes at the end are not a complete line of points. The points of that line are read again from the output.`;

/**
 * Calls `onRecord` for each record of each complete line. Returns the size of the file up to the
 * end of the last complete line; 0 if the file has no valid header.
 */
async function readLines(
  handle: FileHandle | undefined,
  size: number,
  onRecord: OnRecord,
): Promise<number> {
  if (handle === undefined) return 0;
  const header = Buffer.alloc(fileHeader.length);
  await handle.read(header, 0, header.length, 0);
  if (!header.equals(fileHeader)) return 0;
  const chunk = Buffer.alloc(Math.min(size, recordBytes * recordsPerRead));
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  let good = header.length;
  const line: PointRecord[] = [];
  for (let position = good; position + recordBytes <= size;) {
    const bytesRead = (await handle.read(chunk, 0, chunk.length, position)).bytesRead;
    const whole = bytesRead - (bytesRead % recordBytes);
    if (whole === 0) return good;
    for (let at = 0; at < whole; at += recordBytes) {
      const record = readRecord(view, at);
      if (record === undefined) return good;
      line.push(record);
      if (!record.isLastOfLine) continue;
      for (const complete of line.splice(0)) onRecord(complete);
      good = position + at + recordBytes;
    }
    position += whole;
  }
  return good;
}
