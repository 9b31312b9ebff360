/** Keeps the index of sessions in step with their journals: a journal that changed since it was indexed is read again. */
import { readdir, stat } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';
import { isSessionId, type SessionId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { formatValue } from '../base/text.ts';
import { summaryFor, type Ledger } from '../experiments/ledger.ts';
import { verdictText } from '../runs/run.ts';
import type { Home } from '../storage/home.ts';
import { readJournal } from '../storage/journal.ts';
import type { IndexedRun, IndexedSession, SessionIndex } from '../storage/sessionIndex.ts';
import type { Session, SessionSummary } from './engine.ts';
import type { EndReason, JournalEvent, SessionEvent } from './events.ts';
import { foldSession } from './fold.ts';
import { ledgerOf } from './runDesk.ts';
import type { SessionState } from './state.ts';

export interface CatalogueDeps {
  readonly home: Home;
  readonly logger: Logger;
  openIndex(): Promise<SessionIndex>;
}

/** Ids of all sessions on disk, oldest first. */
export async function sessionIds(home: Home): Promise<SessionId[]> {
  try {
    return (await readdir(home.sessionsFolder)).filter(isSessionId).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export class SessionCatalogue {
  readonly #deps: CatalogueDeps;
  #index: Promise<SessionIndex> | undefined;

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
  }

  /** Newest first; sessions open here are shown as they are now. */
  async list(open: readonly Session[]): Promise<SessionSummary[]> {
    const index = await this.#refreshed();
    const live = new Map<string, Session>(open.map((session) => [session.id, session]));
    return index.sessions().map((row): SessionSummary => {
      const session = live.get(row.id);
      if (session !== undefined) return summaryOf(session.state, session.ledger);
      return {
        id: row.id as SessionId,
        goal: row.goal,
        startedMs: row.startedMs,
        lastEventMs: row.lastEventMs,
        ...(row.endReason !== null && { endReason: row.endReason as EndReason }),
        runs: row.runCount,
        turns: row.turns,
        usd: row.usd,
        hasUnknownCost: row.hasUnknownCost,
        ...(row.best !== null && { best: row.best }),
      };
    });
  }

  /** Sessions in which all words were said, newest first. */
  async search(words: string): Promise<SessionId[]> {
    return (await this.#refreshed()).search(words).filter(isSessionId);
  }

  /** An index that could not be opened has nothing to write out. */
  async close(): Promise<void> {
    const index = await this.#index?.catch(() => undefined);
    await index?.close();
  }

  async #refreshed(): Promise<SessionIndex> {
    this.#index ??= this.#deps.openIndex();
    this.#index.catch(() => (this.#index = undefined));
    const index = await this.#index;
    const known = index.journalSizes();
    const ids = await sessionIds(this.#deps.home);
    for (const id of ids) {
      const journalBytes = await this.#sizeOf(id);
      if (journalBytes === undefined || journalBytes === known.get(id)) continue;
      const session = await this.#read(id, journalBytes);
      if (session !== undefined) index.put(session);
    }
    const there = new Set<string>(ids);
    for (const id of known.keys()) if (!there.has(id)) index.remove(id);
    return index;
  }

  async #sizeOf(id: SessionId): Promise<number | undefined> {
    try {
      return (await stat(this.#deps.home.journalFile(id))).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #read(id: SessionId, journalBytes: number): Promise<IndexedSession | undefined> {
    const { events, damage } = await readJournal<SessionEvent>(this.#deps.home.journalFile(id));
    for (const text of damage) this.#deps.logger.warn(`Journal of ${id}: ${text}`);
    const state = foldSession(events as readonly JournalEvent[]);
    return state && indexed(state, events as readonly JournalEvent[], journalBytes);
  }
}

function indexed(state: SessionState, events: readonly JournalEvent[], journalBytes: number): IndexedSession {
  const { id, goal, startedMs, lastEventMs, turns, usd, hasUnknownCost } = state;
  const ledger = ledgerOf(state, (run) => run.metrics);
  return {
    ...{ id, journalBytes, goal, startedMs, lastEventMs, turns, usd, hasUnknownCost },
    endReason: state.end?.reason ?? null,
    best: bestText(ledger) ?? null,
    runs: ledger.rows.map((row): IndexedRun => ({
      id: row.runId,
      number: row.number,
      machineId: row.machineId,
      label: row.label,
      command: row.command,
      verdict: row.verdict === undefined ? null : verdictText(row.verdict),
      metrics: row.metrics.map(({ metric, last, best, count }) => ({ name: metric, last, best, count })),
    })),
    text: events.flatMap(spokenText).join('\n'),
  };
}

function spokenText(event: JournalEvent): string[] {
  if (event.type === 'session.started') return [event.goal];
  if (event.type === 'session.ended') return [event.summary];
  if (event.type === 'message.added') return event.origin === 'person' ? [event.text] : [];
  if (event.type !== 'model.replied') return [];
  return event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

const summaryOf = (state: SessionState, ledger: Ledger): SessionSummary => {
  const best = bestText(ledger);
  return {
    id: state.id,
    goal: state.goal,
    startedMs: state.startedMs,
    lastEventMs: state.lastEventMs,
    ...(state.end && { endReason: state.end.reason }),
    runs: ledger.rows.length,
    turns: state.turns,
    usd: state.usd,
    hasUnknownCost: state.hasUnknownCost,
    ...(best !== undefined && { best }),
  };
};

/** `loss 0.83`: the champion's best value of the metric that decides. */
function bestText({ champion, decisive }: Ledger): string | undefined {
  if (champion === undefined || decisive === undefined) return undefined;
  const summary = summaryFor(champion.metrics, decisive.metric);
  return summary && `${summary.metric} ${formatValue(summary.best)}`;
}
