/** The data of a metrics panel: one session, live or from its files. Knows no `vscode`. */
import { stat } from 'node:fs/promises';
import type { Engine, Session } from '../agent/engine.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { isRunId, type RunId, type SessionId } from '../base/ids.ts';
import type { MetricSpec } from '../metrics/metric.ts';
import { RunMetrics } from '../metrics/runMetrics.ts';
import { homeAt } from '../storage/home.ts';
import type { PanelSeries, PanelSource } from './metricsPanel/panelSource.ts';
import type { OpenSessions } from './openSessions.ts';
import type { OpenSessionView } from './present/experimentRows.ts';
import { panelState } from './present/panelState.ts';

export type MetricsSource = PanelSource & Disposable;

/** Rejects with `UserFacing` for a session that does not exist. */
export async function createMetricsSource(
  engine: Engine,
  sessions: OpenSessions,
  id: SessionId,
): Promise<MetricsSource> {
  const session = sessions.get(id);
  return session === undefined ? savedSource(engine, id) : liveSource(engine, sessions, session);
}

function liveSource(engine: Engine, sessions: OpenSessions, session: Session): MetricsSource {
  const owned = new DisposableStore();
  const states = owned.add(new Emitter<void>());
  const points = owned.add(new Emitter<{ readonly runId: string; readonly metric: string }>());
  owned.add(sessions.onDidChange(() => states.fire()));
  owned.add(
    sessions.onDidChangeRun((change) => {
      if (change.kind !== 'points' || change.run.spec.sessionId !== session.id) return;
      const runId = change.run.spec.id;
      for (const metric of new Set(change.points.map((point) => point.metric))) points.fire({ runId, metric });
    }),
  );
  const view = (): OpenSessionView => sessions.view(session);
  return {
    state: () => panelState(view()),
    series: (runId, metric) => seriesOf(view(), runId, metric, (id) => engine.runs.get(id)?.metrics),
    onDidChangeState: states.event,
    onDidAddPoints: points.event,
    dispose: () => owned.dispose(),
  };
}

/** A session that no process of ours works on: its points are read from its files, once. */
async function savedSource(engine: Engine, id: SessionId): Promise<MetricsSource> {
  const reading = await engine.sessions.read(id);
  const opened = new Map<RunId, Promise<RunMetrics | undefined>>();
  const metricsOf = (runId: RunId): Promise<RunMetrics | undefined> => {
    const spec = reading.state.runs.get(runId)?.spec.metrics ?? {};
    const known = opened.get(runId) ?? readSaved(homeAt(engine.home).runFolder(runId), spec);
    opened.set(runId, known);
    return known;
  };
  const isEnded = reading.state.phase === 'ended';
  return {
    state: () => panelState(reading),
    async series(runId, metric) {
      // While another window works on the session, its files are not ours to open.
      if (!isEnded || !isRunId(runId)) return undefined;
      const metrics = await metricsOf(runId);
      return seriesOf(reading, runId, metric, () => metrics);
    },
    onDidChangeState: () => nothing,
    onDidAddPoints: () => nothing,
    dispose: () => opened.clear(),
  };
}

const nothing: Disposable = { dispose: () => undefined };

async function readSaved(folder: string, spec: MetricSpec): Promise<RunMetrics | undefined> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const metrics = await RunMetrics.open(folder, spec);
  // Its points stay readable; the file is not held.
  metrics.dispose();
  return metrics;
}

function seriesOf(
  { state, ledger }: OpenSessionView,
  runId: string,
  metric: string,
  metricsOf: (runId: RunId) => RunMetrics | undefined,
): PanelSeries | undefined {
  const row = ledger.rows.find((each) => each.runId === runId);
  const columns = row && metricsOf(row.runId)?.series(metric);
  if (row === undefined || columns === undefined || columns.values.length === 0) return undefined;
  const { steps, timesMs, values } = columns;
  return { steps, timesMs, values, startedMs: row.startedMs ?? state.startedMs };
}
