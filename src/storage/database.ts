/**
 * A sql.js database as an index: in memory, loaded on first use, saved whole by writing aside and renaming. Nothing lives
 * in it alone; what is missing, damaged or of another schema is begun anew and filled again by its owner.
 */
import { readFile } from 'node:fs/promises';
import initSqlJs, { type BindParams, type Database as SqlDatabase, type SqlJsStatic } from 'sql.js';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { writeFileAtomic } from './atomicFile.ts';

export interface DatabaseOptions {
  readonly file: string;
  /** `sql-wasm.wasm` of sql.js. */
  readonly wasmFile: string;
  /** Statements that make the tables; `version` names them and changes with them. */
  readonly schema: { readonly version: number; readonly sql: string };
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Row = Readonly<Record<string, string | number | null | Uint8Array>>;

const saveAfterMs = 2_000;

export class Database {
  readonly #options: DatabaseOptions;
  readonly #database: SqlDatabase;
  #timer: Disposable | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(options: DatabaseOptions, database: SqlDatabase) {
    this.#options = options;
    this.#database = database;
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const wasm = await readFile(options.wasmFile);
    const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer;
    const sql = await initSqlJs({ wasmBinary });
    return new Database(options, (await load(sql, options)) ?? create(sql, options));
  }

  /** All rows of a query. */
  all(sql: string, params: BindParams = []): Row[] {
    const statement = this.#database.prepare(sql, params);
    try {
      const rows: Row[] = [];
      while (statement.step()) rows.push(statement.getAsObject());
      return rows;
    } finally {
      statement.free();
    }
  }

  /** Makes changes as one: all of them or none. They are on disk some seconds later, or after `close`. */
  change(work: (run: (sql: string, params?: BindParams) => void) => void): void {
    this.#database.run('BEGIN');
    try {
      work((sql, params) => this.#database.run(sql, params));
      this.#database.run('COMMIT');
    } catch (error) {
      this.#database.run('ROLLBACK');
      throw error;
    }
    this.#timer ??= this.#options.clock.after(saveAfterMs, () => void this.#save());
  }

  async close(): Promise<void> {
    if (this.#timer !== undefined) await this.#save();
    await this.#saving;
    this.#database.close();
  }

  /** An index that cannot be saved costs time at the next start, nothing else: it is logged, not thrown. */
  #save(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    const content = this.#database.export();
    this.#saving = this.#saving
      .then(() => writeFileAtomic(this.#options.file, content, 0o600))
      .catch((error: unknown) => this.#options.logger.warn(`The index was not saved: ${messageOf(error)}`));
    return this.#saving;
  }
}

async function load(sql: SqlJsStatic, { file, schema, logger }: DatabaseOptions): Promise<SqlDatabase | undefined> {
  try {
    const database = new sql.Database(await readFile(file));
    const version = database.exec('PRAGMA user_version')[0]?.values[0]?.[0];
    const health = database.exec('PRAGMA quick_check')[0]?.values[0]?.[0];
    if (version === schema.version && health === 'ok') return database;
    logger.info(`The index ${file} is of another version or damaged; it is made anew from the journals`);
    database.close();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      logger.warn(`The index ${file} cannot be read (${messageOf(error)}); it is made anew from the journals`);
  }
  return undefined;
}

function create(sql: SqlJsStatic, { schema }: DatabaseOptions): SqlDatabase {
  const database = new sql.Database();
  database.run(schema.sql);
  database.run(`PRAGMA user_version = ${schema.version}`);
  return database;
}
