/** Finds the work of the other sessions of the home, for the tools of a session. */
import type { Clock } from '../../base/clock.ts';
import { isSessionId, type RunId, type SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { rowStatus, type Ledger } from '../../experiments/ledger.ts';
import { ForeignPoints } from '../../runs/foreignPoints.ts';
import type { Home } from '../../storage/home.ts';
import type { FoundExperiment } from '../../storage/sessionIndex.ts';
import type { MeasuredRun } from '../../tools/runs/measuredRuns.ts';
import type { SearchHit, SearchOptions } from '../contract/search.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { readSession } from './readSession.ts';
import { searchJournals } from '../archive/search.ts';

/** Index of all journals; `SessionCatalogue` implements it. */
export interface ArchiveIndex {
  experiments(
    exceptSession: SessionId,
    folder: string | undefined,
  ): Promise<readonly FoundExperiment[]>;
  findRun(
    reference: string,
  ): Promise<{ readonly runId: RunId; readonly sessionId: SessionId } | undefined>;
}

export interface ArchiveDeps {
  readonly home: Home;
  readonly index: ArchiveIndex;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A run of another session. */
export interface ArchivedRun {
  readonly state: RunState;
  /** Name of the run that includes its session: `s-1#7`. */
  readonly name: string;
}

export class HomeArchive {
  readonly #deps: ArchiveDeps;

  constructor(deps: ArchiveDeps) {
    this.#deps = deps;
  }

  /** Resolves with the experiments of the other sessions, newest first. */
  experiments(
    exceptSession: SessionId,
    folder: string | undefined,
  ): Promise<readonly FoundExperiment[]> {
    return this.#deps.index.experiments(exceptSession, folder);
  }

  /** Searches the journals of all sessions: see `searchJournals`. */
  async search(query: string, options: SearchOptions): Promise<readonly SearchHit[]> {
    const { home, logger } = this.#deps;
    return searchJournals(home, (await sessionIds(home)).reverse(), query, {
      ...options,
      onUnreadable: (text) => logger.warn(text),
    });
  }

  /**
   * Finds runs by `SESSION#7` or `SESSION#e7`, by a run id, or by a handle; returns an empty list
   * if no run matches. Rejects with `UserFacing` if the session does not exist.
   */
  async find(reference: string): Promise<readonly ArchivedRun[]> {
    const [, session = '', part = ''] =
      /^(s-[^#]+)#\s*(?:run\s*)?(\d+|e\d+|s\d+)$/i.exec(reference.trim()) ?? [];
    const place = session === '' ? await this.#deps.index.findRun(reference) : undefined;
    const id = place?.sessionId ?? session;
    if (!isSessionId(id)) return [];
    const { state, ledger } = await readSession(this.#deps.home, id, undefined);
    const ids = place === undefined ? idsOf(part.toLowerCase(), state, ledger) : [place.runId];
    return ids.flatMap((runId) => {
      const run = state.runs.get(runId);
      return run === undefined ? [] : [{ state: run, name: `${id}#${run.spec.number}` }];
    });
  }

  /** Finds runs as `find` does, and reads their metrics. Leaves out runs without metrics. */
  async measured(reference: string): Promise<readonly MeasuredRun[]> {
    const points = new ForeignPoints(this.#deps.home, this.#deps.clock);
    const runs = await Promise.all(
      (await this.find(reference)).map(async ({ state, name }) => {
        const metrics = await points.of(state.spec, state.verdict !== undefined);
        const { id, label } = state.spec;
        const status = archivedStatus(state);
        return metrics && { id, name, label, handle: undefined, status, metrics };
      }),
    );
    return runs.filter((run) => run !== undefined);
  }
}

export const archivedStatus = ({ verdict, process, alarms }: RunState): string =>
  rowStatus({ verdict, startedMs: process?.startedMs, alarm: alarms.at(-1) });

function idsOf(part: string, { runs }: SessionState, ledger: Ledger): readonly RunId[] {
  if (/^\d+$/.test(part))
    return [...runs.values()].flatMap(({ spec }) => (String(spec.number) === part ? spec.id : []));
  return ledger.rows.flatMap(({ runId, experimentId, sweepId }) =>
    part === experimentId || part === sweepId ? [runId] : [],
  );
}
