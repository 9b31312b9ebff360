/**
 * Applies the write-ahead log (`-wal`) of an SQLite database, which sql.js cannot read. Format:
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

const logHeaderBytes = 32;
const frameHeaderBytes = 24;
/** Bytes 18 and 19 of a database: 1 for a rollback journal, 2 for a write-ahead log. */
const versionOffsets = [18, 19];

/**
 * Returns the database with the committed pages of its log applied, in the format of a database
 * without a log. Frames of an earlier use of the log, and of uncommitted transactions, are ignored.
 */
export function withWriteAheadLog(database: Uint8Array, log: Uint8Array): Uint8Array {
  const pages = committedPages(log);
  const lastPage = pages.at(-1);
  const size = lastPage === undefined ? database.length : lastPage.databaseBytes;
  const result = new Uint8Array(size);
  result.set(database.subarray(0, size));
  for (const { offset, content } of pages) if (offset < size) result.set(content, offset);
  for (const offset of versionOffsets) if (result[offset] === 2) result[offset] = 1;
  return result;
}

interface Page {
  readonly offset: number;
  readonly content: Uint8Array;
  /** Size of the database if this is the last page of its transaction; otherwise 0. */
  readonly databaseBytes: number;
}

function committedPages(log: Uint8Array): readonly Page[] {
  if (log.length < logHeaderBytes) return [];
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const pageBytes = view.getUint32(8);
  const salt = view.getBigUint64(16);
  const pages: Page[] = [];
  let committed = 0;
  const step = frameHeaderBytes + pageBytes;
  for (let at = logHeaderBytes; at + step <= log.length; at += step) {
    if (view.getBigUint64(at + 8) !== salt) break;
    const start = at + frameHeaderBytes;
    const databaseBytes = view.getUint32(at + 4) * pageBytes;
    const offset = (view.getUint32(at) - 1) * pageBytes;
    pages.push({ offset, content: log.subarray(start, start + pageBytes), databaseBytes });
    if (databaseBytes > 0) committed = pages.length;
  }
  return pages.slice(0, committed);
}
