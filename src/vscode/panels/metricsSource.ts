/** The data of a metrics panel: one session, live or from its files. Knows no `vscode`. */
import type { Engine } from '../../agent/engine.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import type { SessionId } from '../../base/ids.ts';
import type { PanelState } from '../../protocol/metricsPanel.ts';
import type { RunChange } from '../../runs/liveRun.ts';
import { homeAt } from '../../storage/home.ts';
import type { PanelSeries, PanelSource } from '../metricsPanel/panelSource.ts';
import type { OpenSessions } from '../openSessions.ts';
import type { OpenSessionView } from '../present/experimentRows.ts';
import { emptyPanelState, panelState } from '../present/panelState.ts';
import { SavedMetrics } from './savedMetrics.ts';

export type MetricsSource = PanelSource & Disposable;

/**
 * Live while the session is open in this window, else as it was saved; it turns live when the session is taken up.
 * Rejects with `UserFacing` for a session that does not exist.
 */
export async function createMetricsSource(
  engine: Engine,
  sessions: OpenSessions,
  id: SessionId,
): Promise<MetricsSource> {
  const saved = sessions.get(id) === undefined ? await engine.sessions.read(id) : undefined;
  return new SessionMetrics(engine, sessions, { id, saved });
}

class SessionMetrics implements MetricsSource {
  readonly #engine: Engine;
  readonly #id: SessionId;
  readonly #sessions: OpenSessions;
  readonly #owned = new DisposableStore();
  readonly #points = this.#owned.add(new Emitter<{ readonly runId: string; readonly metric: string }>());
  readonly #saved: SavedMetrics;
  #last: OpenSessionView | undefined;
  readonly onDidChangeState: Event<void>;
  readonly onDidAddPoints = this.#points.event;

  constructor(
    engine: Engine,
    sessions: OpenSessions,
    { id, saved }: { readonly id: SessionId; readonly saved: OpenSessionView | undefined },
  ) {
    this.#engine = engine;
    this.#saved = new SavedMetrics(homeAt(engine.home));
    this.#sessions = sessions;
    this.#id = id;
    this.#last = saved;
    this.onDidChangeState = sessions.onDidChange;
    this.#owned.add(sessions.onDidChangeRun((change) => this.#onRun(change)));
  }

  state(): PanelState {
    const view = this.#view();
    return view === undefined ? emptyPanelState : panelState(view);
  }

  async series(runId: string, metric: string): Promise<PanelSeries | undefined> {
    const view = this.#view();
    const row = view?.ledger.rows.find((each) => each.runId === runId);
    if (view === undefined || row === undefined) return undefined;
    const run = view.state.runs.get(row.runId);
    const metrics = this.#engine.runs.get(row.runId)?.metrics ?? (run && (await this.#saved.of(run)));
    const columns = metrics?.series(metric);
    if (columns === undefined || columns.values.length === 0) return undefined;
    const { steps, timesMs, values } = columns;
    return { steps, timesMs, values, startedMs: row.startedMs ?? view.state.startedMs };
  }

  dispose(): void {
    this.#saved.forget();
    this.#owned.dispose();
  }

  #view(): OpenSessionView | undefined {
    const session = this.#sessions.get(this.#id);
    if (session !== undefined) this.#last = this.#sessions.view(session);
    return this.#last;
  }

  #onRun(change: RunChange): void {
    const { spec } = change.run;
    if (change.kind !== 'points' || spec.sessionId !== this.#id) return;
    for (const metric of new Set(change.points.map((point) => point.metric)))
      this.#points.fire({ runId: spec.id, metric });
  }
}
