import { closeSync, openSync } from 'node:fs';
import { mkdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../base/disposable.ts';
import { cutOff, diskError, openOrCreate, writeAll, type WriteAt } from './appendOnly.ts';
import { NamesFile } from './namesFile.ts';
import { fileHeader, readRecord, recordBytes, writeRecord, type PointRecord } from './pointRecord.ts';

/** A record with the name of its metric; empty for those that have none. */
export type NamedRecord = Omit<PointRecord, 'name'> & { readonly metric: string };

const recordsPerRead = 16 * 1024;
const fewestPendingBytes = recordBytes * 64;
const mostKeptBytes = recordBytes * 64 * 1024;

/**
 * What is known of the metrics of one run, on disk: `points.bin` (see pointRecord.ts) and `points.names`. Both only
 * grow. Whatever cannot be read when they are opened (the torn end after a crash, damage) is copied to `points.cut`, cut
 * off and told in `problems`: its lines are read again from the run's output, so nothing is lost and nothing is doubled.
 */
export class PointsFile implements Disposable {
  readonly #folder: string;
  readonly #write: WriteAt;
  readonly #names: NamesFile;
  #size: number;
  #fd: number | undefined;
  #pending = new DataView(new ArrayBuffer(fewestPendingBytes));
  #pendingBytes = 0;

  private constructor(folder: string, write: WriteAt, opened: { names: NamesFile; size: number }) {
    this.#folder = folder;
    this.#write = write;
    this.#names = opened.names;
    this.#size = opened.size;
  }

  /** Calls `onRecord` for each record of each complete line. Problems are told as texts for people. */
  static async open(
    folder: string,
    write: WriteAt,
    onRecord: (record: NamedRecord) => void,
  ): Promise<{ readonly file: PointsFile; readonly problems: readonly string[] }> {
    const report = { problems: [] as string[], keptPath: join(folder, 'points.cut') };
    try {
      await mkdir(folder, { recursive: true });
      const names = await NamesFile.open(join(folder, 'points.names'), write, report);
      const namesInFile = names.count;
      const size = await readPoints(join(folder, 'points.bin'), report, (record) =>
        onRecord({ ...record, metric: record.kind === 'point' ? names.nameAt(record.name) : '' }),
      );
      if (names.count > namesInFile)
        report.problems.push(`points.names: names are missing; their points are under metric_${namesInFile} and on.`);
      return { file: new PointsFile(folder, write, { names, size }), problems: report.problems };
    } catch (error) {
      throw diskError(error, folder);
    }
  }

  /** For `flush` to write. False, and nothing is kept, when the run has too many names already. */
  add(record: NamedRecord): boolean {
    const name = record.kind === 'point' ? this.#names.indexOf(record.metric) : 0;
    if (name === undefined) return false;
    if (this.#pendingBytes === this.#pending.byteLength) this.#growPending();
    writeRecord(this.#pending, this.#pendingBytes, record, name);
    this.#pendingBytes += recordBytes;
    return true;
  }

  /** Writes what was added. Throws `MetricsError`; then what was added stays and is written by the next `flush`. */
  flush(): void {
    if (this.#pendingBytes === 0) return;
    try {
      this.#names.save();
      this.#fd ??= openSync(join(this.#folder, 'points.bin'), 'r+');
      const bytes = new Uint8Array(this.#pending.buffer, 0, this.#pendingBytes);
      this.#size = writeAll(this.#write, this.#fd, bytes, this.#size);
      this.#pendingBytes = 0;
      // A burst or a full disk made it large; most calls need little.
      if (this.#pending.byteLength > mostKeptBytes) this.#pending = new DataView(new ArrayBuffer(fewestPendingBytes));
    } catch (error) {
      throw diskError(error, this.#folder);
    }
  }

  /** Lets go of the file; the next `flush` opens it again. */
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

/** The size of the file up to its last good record; what follows is cut off. */
async function readPoints(
  path: string,
  report: { problems: string[]; keptPath: string },
  onRecord: OnRecord,
): Promise<number> {
  const handle = await openOrCreate(path, fileHeader);
  try {
    const { size } = await handle.stat();
    const good = await readLines(handle, size, onRecord);
    if (good < size) {
      await cutOff(path, good, report.keptPath);
      report.problems.push(
        `points.bin: ${size - good} bytes at the end are no complete line of points; they were cut off and are read again from the output.`,
      );
    }
    if (good === 0) await handle.write(fileHeader, 0, fileHeader.length, 0);
    return Math.max(good, fileHeader.length);
  } finally {
    await handle.close();
  }
}

async function readLines(handle: FileHandle, size: number, onRecord: OnRecord): Promise<number> {
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
