/**
 * Index for queries across sessions: the list of sessions, the session that a run belongs to, and
 * earlier runs of the same code. Messages are not in the index; they are searched in the journals.
 */
import {
  Database,
  type DatabaseOptions,
  type ReadRows,
  type Row,
  type RunSql,
} from './database.ts';

export interface IndexedSession {
  readonly id: string;
  /**
   * Number of bytes of the journal that the index covers. A journal with another size is indexed
   * again.
   */
  readonly journalBytes: number;
  readonly goal: string;
  readonly title: string | null;
  readonly startedMs: number;
  readonly lastEventMs: number;
  readonly phase: string;
  readonly endReason: string | null;
  readonly turns: number;
  readonly usd: number;
  readonly hasUnknownCost: boolean;
  readonly best: string | null;
  readonly runs: readonly IndexedRun[];
  readonly attempts: readonly IndexedAttempt[];
  /** Absolute path of the working folder. */
  readonly folder: string;
  readonly experiments: readonly IndexedExperiment[];
}

/** An experiment with the values that lists of experiments show. */
export interface IndexedExperiment {
  /** Id of the experiment within its session: `e7`. */
  readonly id: string;
  readonly hypothesis: string;
  /**
   * Command of the first run of the result; if there is no result, the command of the experiment.
   */
  readonly command: string;
  /** The decision or, if undecided, the status: `keep (provisional)`, `running`. */
  readonly decision: string;
  /** Reason for the decision; empty if undecided. */
  readonly why: string;
  readonly metric: string | null;
  /** Mean of the deciding metric over repeats. */
  readonly value: number | null;
  readonly direction: 'lower' | 'higher' | null;
  /** The result as text: `val_loss 0.041 ± 0.002 (n 3)`. */
  readonly result: string;
  /** Numbers of the runs: `5, 6, 7`. */
  readonly runs: string;
  readonly startedMs: number;
}

export type FoundExperiment = IndexedExperiment & {
  readonly sessionId: string;
  readonly goal: string;
};

export interface IndexedRun {
  readonly id: string;
  readonly number: number;
  /** `machine:pid` or `machine:job`; null until the run has a process or job. */
  readonly handle: string | null;
  /** True for a run that has started and whose end is not recorded. */
  readonly isGoing: boolean;
}

/** A run of an experiment. Indexed only if the version of the run's code is known. */
export interface IndexedAttempt {
  /** Key of all attempts with the same code and the same arguments (see `AttemptKeys`). */
  readonly same: string;
  /** Key of all attempts that differ at most in the seed and similar options. */
  readonly seed: string;
  /** Hash of the git tree that contains the code. */
  readonly tree: string;
  /** Id of the experiment, for example `e7`. */
  readonly experimentId: string;
  /** True for a run that ended successfully and recorded a metric. */
  readonly isKnown: boolean;
  /** Summary of the experiment, in one line. */
  readonly told: string;
}

export type FoundAttempt = IndexedAttempt & { readonly sessionId: string };

export type IndexedSessionRow = Omit<IndexedSession, 'runs' | 'attempts' | 'experiments'> & {
  readonly runCount: number;
  /** Number of runs that had not ended when the session was indexed. */
  readonly goingCount: number;
};

const schema = {
  version: 6,
  sql: `
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, journal_bytes INTEGER NOT NULL, goal TEXT NOT NULL, started_ms INTEGER NOT NULL,
      last_event_ms INTEGER NOT NULL, phase TEXT NOT NULL, end_reason TEXT, turns INTEGER NOT NULL, usd REAL NOT NULL,
      has_unknown_cost INTEGER NOT NULL, best TEXT, folder TEXT NOT NULL, title TEXT);
    CREATE TABLE runs (
      id TEXT PRIMARY KEY, session_id TEXT NOT NULL, number INTEGER NOT NULL, handle TEXT, is_going INTEGER NOT NULL);
    CREATE INDEX runs_by_session ON runs (session_id);
    CREATE INDEX runs_by_handle ON runs (handle);
    CREATE TABLE attempts (
      session_id TEXT NOT NULL, same TEXT NOT NULL, seed TEXT NOT NULL, tree TEXT NOT NULL, experiment_id TEXT NOT NULL,
      is_known INTEGER NOT NULL, told TEXT NOT NULL);
    CREATE INDEX attempts_by_session ON attempts (session_id);
    CREATE INDEX attempts_by_seed ON attempts (seed);
    CREATE TABLE experiments (
      session_id TEXT NOT NULL, id TEXT NOT NULL, hypothesis TEXT NOT NULL, command TEXT NOT NULL, decision TEXT NOT NULL,
      why TEXT NOT NULL, metric TEXT, value REAL, direction TEXT, result TEXT NOT NULL, runs TEXT NOT NULL,
      started_ms INTEGER NOT NULL);
    CREATE INDEX experiments_by_session ON experiments (session_id);`,
};

const sessionColumns =
  'id, journal_bytes, goal, started_ms, last_event_ms, phase, end_reason, turns, usd, has_unknown_cost, best, folder, title';

export class SessionIndex {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Opens the index. Other processes may use the same file: for each session, the entry that covers
   * more of the journal is stored.
   */
  static async open(options: Omit<DatabaseOptions, 'schema' | 'merge'>): Promise<SessionIndex> {
    return new SessionIndex(await Database.open({ ...options, schema, merge: takeNewer }));
  }

  /** Returns the number of indexed journal bytes for each session id. */
  journalSizes(): Map<string, number> {
    const rows = this.#database.all('SELECT id, journal_bytes FROM sessions');
    return new Map(rows.map((row) => [text(row.id), number(row.journal_bytes)]));
  }

  /** Returns the sessions, newest first. */
  sessions(): IndexedSessionRow[] {
    const counts = (where: string): string =>
      `(SELECT COUNT(*) FROM runs WHERE session_id = sessions.id ${where})`;
    const sql = `SELECT sessions.*, ${counts('')} AS run_count, ${counts('AND is_going = 1')} AS going_count
      FROM sessions ORDER BY id DESC`;
    return this.#database.all(sql).map((row) => ({
      ...sessionOf(row),
      runCount: number(row.run_count),
      goingCount: number(row.going_count),
    }));
  }

  /**
   * Finds a run by its id or its handle. If several runs have the same handle, returns the newest.
   */
  runOf(reference: string): { readonly id: string; readonly sessionId: string } | undefined {
    const sql =
      'SELECT id, session_id FROM runs WHERE id = ? OR handle = ? ORDER BY id DESC LIMIT 1';
    const [row] = this.#database.all(sql, [reference, reference]);
    return row && { id: text(row.id), sessionId: text(row.session_id) };
  }

  /** Returns attempts of other sessions with one of these `seed` keys, newest sessions first. */
  attemptsLike(seeds: readonly string[], exceptSession: string, limit: number): FoundAttempt[] {
    const sql = `SELECT * FROM attempts WHERE seed IN (${seeds.map(() => '?').join(', ')}) AND session_id <> ?
      ORDER BY session_id DESC, is_known DESC LIMIT ?`;
    return this.#database
      .all(sql, [...seeds, exceptSession, limit])
      .map((row) => ({ ...attemptOf(row), sessionId: text(row.session_id) }));
  }

  /**
   * Returns the experiments of all sessions except one, newest first. `folder`: if set, only
   * experiments of sessions in this working folder.
   */
  experiments(exceptSession: string, folder: string | undefined): FoundExperiment[] {
    const sql = `SELECT experiments.*, goal FROM experiments JOIN sessions ON sessions.id = session_id
      WHERE session_id <> ? AND (? IS NULL OR folder = ?) ORDER BY experiments.started_ms DESC`;
    return this.#database.all(sql, [exceptSession, folder ?? null, folder ?? null]).map((row) => ({
      ...experimentOf(row),
      sessionId: text(row.session_id),
      goal: text(row.goal),
    }));
  }

  put(session: IndexedSession): void {
    this.#database.change((run) => putSession(run, session));
  }

  remove(id: string): void {
    this.#database.change((run) => removeSession(run, id));
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/** Merges two indexes: for each session, stores the entry that covers more of the journal. */
function takeNewer(theirs: ReadRows, ours: ReadRows, run: RunSql): void {
  const known = new Map(
    ours('SELECT id, journal_bytes FROM sessions').map((row) => [
      row.id,
      number(row.journal_bytes),
    ]),
  );
  for (const row of theirs(`SELECT ${sessionColumns} FROM sessions`)) {
    const session = sessionOf(row);
    if (session.journalBytes <= (known.get(session.id) ?? -1)) continue;
    const runs = theirs('SELECT id, number, handle, is_going FROM runs WHERE session_id = ?', [
      session.id,
    ]);
    const of = (table: string): Row[] =>
      theirs(`SELECT * FROM ${table} WHERE session_id = ?`, [session.id]);
    putSession(run, {
      ...session,
      runs: runs.map(runOf),
      attempts: of('attempts').map(attemptOf),
      experiments: of('experiments').map(experimentOf),
    });
  }
}

function putSession(run: RunSql, session: IndexedSession): void {
  removeSession(run, session.id);
  run(`INSERT INTO sessions (${sessionColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    session.id,
    session.journalBytes,
    session.goal,
    session.startedMs,
    session.lastEventMs,
    session.phase,
    session.endReason,
    session.turns,
    session.usd,
    session.hasUnknownCost ? 1 : 0,
    session.best,
    session.folder,
    session.title,
  ]);
  for (const one of session.experiments)
    run('INSERT INTO experiments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [
      ...[session.id, one.id, one.hypothesis, one.command, one.decision, one.why],
      ...[one.metric, one.value, one.direction, one.result, one.runs, one.startedMs],
    ]);
  for (const { id, number: place, handle, isGoing } of session.runs)
    run('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)', [
      id,
      session.id,
      place,
      handle,
      isGoing ? 1 : 0,
    ]);
  for (const { same, seed, tree, experimentId, isKnown, told } of session.attempts)
    run('INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)', [
      ...[session.id, same, seed, tree, experimentId, isKnown ? 1 : 0, told],
    ]);
}

function removeSession(run: RunSql, id: string): void {
  run('DELETE FROM runs WHERE session_id = ?', [id]);
  run('DELETE FROM attempts WHERE session_id = ?', [id]);
  run('DELETE FROM experiments WHERE session_id = ?', [id]);
  run('DELETE FROM sessions WHERE id = ?', [id]);
}

type Value = Row[string] | undefined;
const text = (value: Value): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: Value): string | null => (typeof value === 'string' ? value : null);
const number = (value: Value): number => (typeof value === 'number' ? value : Number.NaN);

const runOf = (row: Row): IndexedRun => ({
  id: text(row.id),
  number: number(row.number),
  handle: textOrNull(row.handle),
  isGoing: row.is_going === 1,
});

const attemptOf = (row: Row): IndexedAttempt => ({
  same: text(row.same),
  seed: text(row.seed),
  tree: text(row.tree),
  experimentId: text(row.experiment_id),
  isKnown: row.is_known === 1,
  told: text(row.told),
});

const experimentOf = (row: Row): IndexedExperiment => ({
  id: text(row.id),
  hypothesis: text(row.hypothesis),
  command: text(row.command),
  decision: text(row.decision),
  why: text(row.why),
  metric: textOrNull(row.metric),
  value: typeof row.value === 'number' ? row.value : null,
  direction: row.direction === 'lower' || row.direction === 'higher' ? row.direction : null,
  result: text(row.result),
  runs: text(row.runs),
  startedMs: number(row.started_ms),
});

const sessionOf = (row: Row): Omit<IndexedSession, 'runs' | 'attempts' | 'experiments'> => ({
  id: text(row.id),
  journalBytes: number(row.journal_bytes),
  goal: text(row.goal),
  startedMs: number(row.started_ms),
  lastEventMs: number(row.last_event_ms),
  phase: text(row.phase),
  endReason: textOrNull(row.end_reason),
  turns: number(row.turns),
  usd: number(row.usd),
  hasUnknownCost: row.has_unknown_cost === 1,
  best: textOrNull(row.best),
  folder: text(row.folder),
  title: textOrNull(row.title),
});
