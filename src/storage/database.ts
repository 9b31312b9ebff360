/**
 * A sql.js database that serves as an index: loaded into memory on first use, and saved as a whole
 * to a temporary file that is then renamed. The index holds only data that can be derived again
 * from the journals: when its file is missing, damaged or has another schema version, the owner of
 * the index fills a new one. Several processes may use the same file: before a process saves the
 * index, it merges what other processes saved in the meantime.
 */
import { readFile, stat } from 'node:fs/promises';
import initSqlJs, { type BindParams, type Database as SqlDatabase, type SqlJsStatic } from 'sql.js';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { writeFileAtomic } from './atomicFile.ts';

export interface DatabaseOptions {
  readonly file: string;
  /** Path of `sql-wasm.wasm`, a part of sql.js. */
  readonly wasmFile: string;
  /** SQL statements that create the tables. A change of the statements, or of what
   * a column means, needs a new `version`. */
  readonly schema: { readonly version: number; readonly sql: string };
  /**
   * Merges the rows that another process saved since this process last read the file. Runs within
   * one transaction.
   */
  merge(theirs: ReadRows, ours: ReadRows, run: RunSql): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type ReadRows = (sql: string, params?: BindParams) => Row[];
export type RunSql = (sql: string, params?: BindParams) => void;

export type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

const saveAfterMs = 2_000;

export class Database {
  readonly #options: DatabaseOptions;
  readonly #database: SqlDatabase;
  #timer: Disposable | undefined;
  readonly #sql: SqlJsStatic;
  #saving: Promise<void> = Promise.resolve();
  /** Stamp of the file (see `stampOf`) when this process last read or wrote the file. */
  #stamp: string;

  private constructor(options: DatabaseOptions, sql: SqlJsStatic, { database, stamp }: Loaded) {
    this.#options = options;
    this.#sql = sql;
    this.#database = database;
    this.#stamp = stamp;
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const sql = await loadSql(options.wasmFile);
    const stamp = await stampOf(options.file);
    const database = (await load(sql, options)) ?? create(sql, options);
    return new Database(options, sql, { database, stamp });
  }

  /** Returns all rows of a query. */
  readonly all: ReadRows = (sql, params = []) => rowsOf(this.#database, sql, params);

  /**
   * Applies changes in one transaction: all of them or none. The database is saved to disk some
   * seconds later, or by `close`.
   */
  change(work: (run: RunSql) => void): void {
    this.#change(work);
    this.#timer ??= this.#options.clock.after(saveAfterMs, () => void this.#save());
  }

  async close(): Promise<void> {
    if (this.#timer !== undefined) await this.#save();
    await this.#saving;
    this.#database.close();
  }

  #change(work: (run: RunSql) => void): void {
    this.#database.run('BEGIN');
    try {
      work((sql, params) => this.#database.run(sql, params));
      this.#database.run('COMMIT');
    } catch (error) {
      this.#database.run('ROLLBACK');
      throw error;
    }
  }

  /**
   * Saves the database. Logs a failure instead of throwing: an index that was not saved only makes
   * the next start slower.
   */
  #save(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#saving = this.#saving
      .then(() => this.#write())
      .catch((error: unknown) =>
        this.#options.logger.warn(`Cannot save the index: ${messageOf(error)}`),
      );
    return this.#saving;
  }

  /**
   * Merges the changes of other processes and writes the file. When two processes write at the same
   * moment, the changes of one are lost; that process reads them from the journals again at its
   * next start.
   */
  async #write(): Promise<void> {
    const { file, merge } = this.#options;
    const theirs =
      (await stampOf(file)) === this.#stamp ? undefined : await load(this.#sql, this.#options);
    try {
      if (theirs !== undefined)
        this.#change((run) =>
          merge((sql, params = []) => rowsOf(theirs, sql, params), this.all, run),
        );
    } finally {
      theirs?.close();
    }
    await writeFileAtomic(file, this.#database.export(), 0o600);
    this.#stamp = await stampOf(file);
  }
}

/** Loads sql.js from its `sql-wasm.wasm`. */
export async function loadSql(wasmFile: string): Promise<SqlJsStatic> {
  const wasm = await readFile(wasmFile);
  const wasmBinary = wasm.buffer.slice(
    wasm.byteOffset,
    wasm.byteOffset + wasm.byteLength,
  ) as ArrayBuffer;
  return initSqlJs({ wasmBinary });
}

interface Loaded {
  readonly database: SqlDatabase;
  readonly stamp: string;
}

function rowsOf(database: SqlDatabase, sql: string, params: BindParams): Row[] {
  const statement = database.prepare(sql, params);
  try {
    const rows: Row[] = [];
    while (statement.step()) rows.push(statement.getAsObject());
    return rows;
  } finally {
    statement.free();
  }
}

/**
 * Returns a stamp that changes whenever the content of the file changes; empty if there is no file.
 * Inode, time and size suffice, since the file is always replaced as a whole.
 */
async function stampOf(file: string): Promise<string> {
  try {
    const { ino, mtimeMs, size } = await stat(file);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

async function load(
  sql: SqlJsStatic,
  { file, schema, logger }: DatabaseOptions,
): Promise<SqlDatabase | undefined> {
  try {
    const database = new sql.Database(await readFile(file));
    const version = database.exec('PRAGMA user_version')[0]?.values[0]?.[0];
    const health = database.exec('PRAGMA quick_check')[0]?.values[0]?.[0];
    if (version === schema.version && health === 'ok') return database;
    logger.info(
      `The index ${file} is damaged or has another version. Rebuilding it from the journals.`,
    );
    database.close();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      logger.warn(
        `Cannot read the index ${file} (${messageOf(error)}). Rebuilding it from the journals.`,
      );
  }
  return undefined;
}

function create(sql: SqlJsStatic, { schema }: DatabaseOptions): SqlDatabase {
  const database = new sql.Database();
  database.run(schema.sql);
  database.run(`PRAGMA user_version = ${schema.version}`);
  return database;
}
