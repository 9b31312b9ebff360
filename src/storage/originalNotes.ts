/**
 * Reads the shared notes of the original Helios from its `helios.db`. Never changes the database.
 */
import { readFile } from 'node:fs/promises';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import { loadSql } from './database.ts';
import { withWriteAheadLog } from './writeAheadLog.ts';

export interface OriginalNote {
  /** Path below the shared notes, such as `/priors/lr`. */
  readonly path: string;
  readonly gist: string;
  /** Undefined for a note that has only a summary (its `gist`). */
  readonly content: string | undefined;
}

/**
 * Resolves with the notes that all sessions share, sorted by path; with `undefined` if there is no
 * such database. Rejects with `UserFacing` if the file cannot be read.
 */
export async function readOriginalNotes(
  file: string,
  wasmFile: string,
): Promise<readonly OriginalNote[] | undefined> {
  const bytes = await bytesOf(file);
  if (bytes === undefined) return undefined;
  const log = (await bytesOf(`${file}-wal`)) ?? new Uint8Array();
  const sql = await loadSql(wasmFile);
  try {
    const database = new sql.Database(withWriteAheadLog(bytes, log));
    try {
      const [table] = database.exec(
        `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'memory_nodes'`,
      );
      if (table === undefined) return undefined;
      const [found] = database.exec(
        `SELECT path, gist, content FROM memory_nodes 
          WHERE session_id = '__global__' AND (gist <> '' OR content <> '') ORDER BY path`,
      );
      return (found?.values ?? []).map(([path, gist, content]) => ({
        path: String(path),
        gist: String(gist),
        content: typeof content === 'string' ? content : undefined,
      }));
    } finally {
      database.close();
    }
  } catch (error) {
    throw new UserFacing(
      `${file} cannot be read: ${messageOf(error)}.`,
      'Check it with the program sqlite3, or move it away to import only the machines.',
    );
  }
}

async function bytesOf(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UserFacing(`${file} cannot be read: ${messageOf(error)}.`, 'Check its permissions.');
  }
}
