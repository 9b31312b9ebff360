/** What is asked across sessions: their list, their runs and metric summaries, and full text of what was said. */
import { Database, type DatabaseOptions, type Row } from './database.ts';

export interface IndexedSession {
  readonly id: string;
  /** Size of the journal in bytes when it was read: a journal of another size is read again. */
  readonly journalBytes: number;
  readonly goal: string;
  readonly startedMs: number;
  readonly lastEventMs: number;
  readonly endReason: string | null;
  readonly turns: number;
  readonly usd: number;
  readonly hasUnknownCost: boolean;
  readonly best: string | null;
  readonly runs: readonly IndexedRun[];
  /** What people and the model said, for the full-text search. */
  readonly text: string;
}

export interface IndexedRun {
  readonly id: string;
  readonly number: number;
  readonly machineId: string;
  readonly label: string;
  readonly command: string;
  readonly verdict: string | null;
  readonly metrics: readonly {
    readonly name: string;
    readonly last: number;
    readonly best: number;
    readonly count: number;
  }[];
}

export type IndexedSessionRow = Omit<IndexedSession, 'runs' | 'text'> & { readonly runCount: number };

const schema = {
  version: 1,
  sql: `
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, journal_bytes INTEGER NOT NULL, goal TEXT NOT NULL, started_ms INTEGER NOT NULL,
      last_event_ms INTEGER NOT NULL, end_reason TEXT, turns INTEGER NOT NULL, usd REAL NOT NULL,
      has_unknown_cost INTEGER NOT NULL, best TEXT);
    CREATE TABLE runs (
      id TEXT PRIMARY KEY, session_id TEXT NOT NULL, number INTEGER NOT NULL, machine_id TEXT NOT NULL,
      label TEXT NOT NULL, command TEXT NOT NULL, verdict TEXT);
    CREATE INDEX runs_by_session ON runs (session_id);
    CREATE TABLE metrics (
      run_id TEXT NOT NULL, name TEXT NOT NULL, last REAL, best REAL, count INTEGER NOT NULL, PRIMARY KEY (run_id, name));
    CREATE VIRTUAL TABLE words USING fts4 (session_id, body, notindexed=session_id);`,
};

export class SessionIndex {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(options: Omit<DatabaseOptions, 'schema'>): Promise<SessionIndex> {
    return new SessionIndex(await Database.open({ ...options, schema }));
  }

  /** Session id → size of its journal when it was last read. */
  journalSizes(): Map<string, number> {
    return new Map(
      this.#database
        .all('SELECT id, journal_bytes FROM sessions')
        .map((row) => [text(row.id), number(row.journal_bytes)]),
    );
  }

  /** Newest first. */
  sessions(): IndexedSessionRow[] {
    const sql =
      'SELECT sessions.*, (SELECT COUNT(*) FROM runs WHERE session_id = sessions.id) AS run_count FROM sessions ORDER BY id DESC';
    return this.#database.all(sql).map(sessionRow);
  }

  /** Ids of the sessions in which all `words` were said, newest first. */
  search(words: string): string[] {
    const query = words
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => `"${word.replaceAll('"', '')}"`)
      .join(' ');
    if (query === '') return [];
    const sql = 'SELECT session_id FROM words WHERE words MATCH ? ORDER BY session_id DESC';
    return this.#database.all(sql, [query]).map((row) => text(row.session_id));
  }

  put(session: IndexedSession): void {
    this.#database.change((run) => {
      removeSession(run, session.id);
      run('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [
        session.id,
        session.journalBytes,
        session.goal,
        session.startedMs,
        session.lastEventMs,
        session.endReason,
        session.turns,
        session.usd,
        session.hasUnknownCost ? 1 : 0,
        session.best,
      ]);
      run('INSERT INTO words VALUES (?, ?)', [session.id, session.text]);
      for (const one of session.runs) putRun(run, session.id, one);
    });
  }

  remove(id: string): void {
    this.#database.change((run) => removeSession(run, id));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

type Run = (sql: string, params?: (string | number | null)[]) => void;

function removeSession(run: Run, id: string): void {
  run('DELETE FROM metrics WHERE run_id IN (SELECT id FROM runs WHERE session_id = ?)', [id]);
  run('DELETE FROM runs WHERE session_id = ?', [id]);
  run('DELETE FROM words WHERE session_id = ?', [id]);
  run('DELETE FROM sessions WHERE id = ?', [id]);
}

function putRun(run: Run, sessionId: string, one: IndexedRun): void {
  run('INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)', [
    one.id,
    sessionId,
    one.number,
    one.machineId,
    one.label,
    one.command,
    one.verdict,
  ]);
  for (const { name, last, best, count } of one.metrics) {
    run('INSERT INTO metrics VALUES (?, ?, ?, ?, ?)', [one.id, name, last, best, count]);
  }
}

const text = (value: Row[string] | undefined): string => (typeof value === 'string' ? value : '');
const number = (value: Row[string] | undefined): number => (typeof value === 'number' ? value : Number.NaN);

const sessionRow = (row: Row): IndexedSessionRow => ({
  id: text(row.id),
  journalBytes: number(row.journal_bytes),
  goal: text(row.goal),
  startedMs: number(row.started_ms),
  lastEventMs: number(row.last_event_ms),
  endReason: typeof row.end_reason === 'string' ? row.end_reason : null,
  turns: number(row.turns),
  usd: number(row.usd),
  hasUnknownCost: row.has_unknown_cost === 1,
  best: typeof row.best === 'string' ? row.best : null,
  runCount: number(row.run_count),
});
