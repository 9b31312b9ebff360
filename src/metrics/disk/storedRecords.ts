/** Reads `points.bin` in parts, so that memory use does not depend on the size of the file. */
import type { FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../../base/regularFile.ts';
import { fileHeader, readRecord, recordBytes, type PointRecord } from './pointRecord.ts';

const recordsPerRead = 16 * 1024;
/** Maximum number of points in a line of output. Helios never writes more. */
const maxOfLine = 100_000;

/** The complete records of a points file. */
export interface StoredRecords {
  readonly path: string;
  readonly records: number;
}

interface RecordsPart {
  readonly view: DataView;
  /** Number of records in `view`, from its start. */
  readonly count: number;
  /** Position in the file of the first record. */
  readonly first: number;
}

/**
 * Yields the records from position `from` up to position `to`, in parts. A part is valid until the
 * next part is read.
 */
async function* partsOf(
  handle: FileHandle,
  from: number,
  to: number,
): AsyncGenerator<RecordsPart, void, void> {
  const bytes = Buffer.alloc(Math.max(0, Math.min(to - from, recordsPerRead)) * recordBytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let first = from; first < to;) {
    const wanted = Math.min(to - first, recordsPerRead) * recordBytes;
    const at = fileHeader.length + first * recordBytes;
    const { bytesRead } = await handle.read(bytes, 0, wanted, at);
    const count = Math.floor(bytesRead / recordBytes);
    if (count === 0) return;
    yield { view, count, first };
    first += count;
  }
}

/** Yields valid records from position `from` up to position `to`, in parts, and their positions. */
export async function* readRecords(
  { path, records }: StoredRecords,
  from = 0,
  to = Infinity,
): AsyncGenerator<RecordsPart, void, void> {
  const end = Math.min(to, records);
  if (from >= end) return;
  const handle = await openRegularFile(path);
  try {
    yield* partsOf(handle, from, end);
  } finally {
    await handle.close();
  }
}

/**
 * Calls `onRecord` for each record of each complete line, with its position in the file. Returns
 * the size of the file up to the end of the last complete line; 0 if the file has no valid header.
 */
export async function readLines(
  handle: FileHandle | undefined,
  sizeBytes: number,
  onRecord: (record: PointRecord, position: number) => void,
): Promise<number> {
  if (handle === undefined) return 0;
  const header = Buffer.alloc(fileHeader.length);
  await handle.read(header, 0, header.length, 0);
  if (!header.equals(fileHeader)) return 0;
  const records = Math.floor((sizeBytes - header.length) / recordBytes);
  const line: PointRecord[] = [];
  let complete = 0;
  const good = (): number => header.length + complete * recordBytes;
  for await (const { view, count } of partsOf(handle, 0, records)) {
    for (let at = 0; at < count; at++) {
      const record = readRecord(view, at * recordBytes);
      if (record === undefined || line.length === maxOfLine) return good();
      if (record.isLastOfLine && line.length === 0) {
        onRecord(record, complete++);
        continue;
      }
      line.push(record);
      if (!record.isLastOfLine) continue;
      for (const one of line) onRecord(one, complete++);
      line.length = 0;
    }
  }
  return good();
}
