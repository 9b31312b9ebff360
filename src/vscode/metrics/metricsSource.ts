/**
 * The data of a metrics panel for one session. For a session open in this window the data is live;
 * otherwise it is read from the session's files as they grow.
 */
import type { Engine } from '../../agent/contract/engine.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import type { MatteredAnswer } from '../../protocol/mattered.ts';
import type { PanelMetric, PanelState } from '../../protocol/metricsPanel.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import type { RunChange } from '../../runs/liveRun.ts';
import type { PanelSeries, PanelSource } from './panelSource.ts';
import type { RunState, SessionState } from '../../agent/journal/state.ts';
import type { OpenSessions } from '../window/openSessions.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { emptyPanelState, PanelStates } from './panelState.ts';
import type { ObservedSession } from '../../agent/contract/observedSession.ts';

/** Minimum time between two reads of the recorded resources. */
const systemEveryMs = 10_000;

const noPoints: SeriesColumns = {
  steps: new Float64Array(),
  timesMs: new Float64Array(),
  values: new Float64Array(),
};

export type MetricsSource = PanelSource & Disposable;

export interface MetricsDeps {
  readonly engine: Engine;
  readonly sessions: OpenSessions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Creates the data source of a metrics panel. The data becomes live when the session is resumed in
 * this window. Rejects with `UserFacing` for a session that does not exist.
 */
export async function createMetricsSource(
  deps: MetricsDeps,
  id: SessionId,
): Promise<MetricsSource> {
  const source = new SessionMetrics(deps, id);
  try {
    await source.begin();
    return source;
  } catch (error) {
    source.dispose();
    throw error;
  }
}

class SessionMetrics implements MetricsSource {
  readonly #deps: MetricsDeps;
  readonly #id: SessionId;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #points = this.#owned.add(
    new Emitter<{ readonly runId: string; readonly metric: string }>(),
  );
  readonly #observed: ObservedSession;
  readonly #states = new PanelStates();
  #system: readonly PanelMetric[] = [];
  /** Time of the last read of `#system`. */
  #systemMs = Number.NEGATIVE_INFINITY;
  #last: OpenSessionView | undefined;
  readonly onDidChangeState: Event<void> = this.#changed.event;
  readonly onDidAddPoints = this.#points.event;

  constructor(deps: MetricsDeps, id: SessionId) {
    const { engine, sessions, clock, logger } = deps;
    this.#deps = deps;
    this.#id = id;
    const isOpenHere = (): boolean => sessions.get(id) !== undefined;
    this.#observed = this.#owned.add(engine.sessions.observe(id, { clock, logger, isOpenHere }));
    this.#owned.add(
      this.#observed.onDidChange(({ grown }) => {
        this.#last = undefined;
        this.#changed.fire();
        for (const runId of grown) this.#firePoints(runId);
      }),
    );
    this.#owned.add(sessions.onDidChange(() => this.#changed.fire()));
    this.#owned.add(this.#changed.event(() => void this.#readSystem()));
    this.#owned.add(sessions.onDidChangeRun((change) => this.#onRun(change)));
  }

  async begin(): Promise<void> {
    const { engine, sessions } = this.#deps;
    if (sessions.get(this.#id) !== undefined) return;
    await this.#observed.refresh();
    // The session could not be read: `read` throws the error with the reason.
    if (this.#observed.state === undefined) await engine.sessions.read(this.#id);
  }

  state(): PanelState {
    const view = this.#view();
    if (view === undefined) return emptyPanelState;
    const state = this.#states.of(view);
    return { ...state, metrics: [...state.metrics, ...this.#system] };
  }

  async series(runId: string, metric: string): Promise<PanelSeries | undefined> {
    // Builds no ledger: the points of hundreds of runs are asked for at once.
    const state = this.#state();
    const run = state?.runs.get(runId as RunId);
    if (state === undefined || run === undefined) return undefined;
    const isSystem = this.#system.some(({ name }) => name === metric);
    const metrics = await (isSystem ? this.#observed.systemOf(run) : this.#metricsOf(run));
    const columns = metrics?.series(metric);
    if (!isSystem && (columns?.values.length ?? 0) === 0) return undefined;
    const startedMs = run.process?.startedMs ?? state.startedMs;
    return { ...(columns ?? noPoints), startedMs, sampled: metrics?.sampled(metric) };
  }

  async #metricsOf(run: RunState): Promise<RunMetrics | undefined> {
    const live = this.#deps.engine.runs.get(run.spec.id);
    return live?.metrics ?? this.#observed.metricsOf(run);
  }

  async annotate(runIds: readonly string[], change: AnnotationChange): Promise<void> {
    const { requests } = this.#deps.engine;
    await requests.send(this.#id, { kind: 'annotate', runIds: runIds as RunId[], ...change });
    await this.#observed.refresh();
  }

  async mattered(runIds: readonly string[]): Promise<MatteredAnswer> {
    const { answerMattered, nothingMattered } = await import('./matteredAnswer.ts');
    const view = this.#view();
    return view === undefined ? nothingMattered : answerMattered(view, runIds);
  }

  setWatched(isWatched: boolean): void {
    if (isWatched) void this.#readSystem();
    this.#observed.setWatched(isWatched);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /**
   * Returns the session as the panel shows it. When this window releases the session, the last live
   * view is shown until the session's files have been read.
   */
  #view(): OpenSessionView | undefined {
    const session = this.#deps.sessions.get(this.#id);
    if (session !== undefined) this.#last = this.#deps.sessions.view(session);
    else this.#last ??= this.#read();
    return this.#last;
  }

  #read(): OpenSessionView | undefined {
    const { state } = this.#observed;
    const ledger = this.#observed.ledger();
    return state && ledger && { state, ledger };
  }

  /** Reads which resources of the runs were recorded, and tells the view of new points. */
  async #readSystem(): Promise<void> {
    const nowMs = this.#deps.clock.now();
    if (nowMs < this.#systemMs + systemEveryMs) return;
    this.#systemMs = nowMs;
    const runs = [...(this.#state()?.runs.values() ?? [])];
    const names = await this.#observed.systemNames(runs);
    if (names.some((name, index) => name !== this.#system[index]?.name)) {
      this.#system = names.map((name) => ({ name, direction: 'none', isSystem: true }));
      this.#changed.fire();
    }
    for (const { spec, verdict } of runs)
      if (verdict === undefined)
        for (const metric of names) this.#points.fire({ runId: spec.id, metric });
  }

  #state(): SessionState | undefined {
    const session = this.#deps.sessions.get(this.#id);
    return (session ?? this.#last ?? this.#observed).state;
  }

  #firePoints(runId: RunId): void {
    const row = this.#read()?.ledger.rows.find((each) => each.runId === runId);
    for (const { metric } of row?.metrics ?? []) this.#points.fire({ runId, metric });
  }

  #onRun(change: RunChange): void {
    const { spec } = change.run;
    if (change.kind !== 'points' || spec.sessionId !== this.#id) return;
    for (const metric of new Set(change.points.map((point) => point.metric)))
      this.#points.fire({ runId: spec.id, metric });
  }
}
