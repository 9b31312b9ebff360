/**
 * The sessions that are open in this window, in the form that views need: with a single event for
 * all changes.
 */
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { JournalEvent, StreamEvent } from '../../agent/journal/events.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import type { RunId } from '../../base/ids.ts';
import { summaryFor } from '../../presentation/runs/runText.ts';
import type { Trend } from '../../metrics/metric.ts';
import type { RunChange } from '../../runs/liveRun.ts';
import { Frames } from '../ui/frames.ts';
import type { OpenSessionView, RunFacts } from './sessionFacts.ts';
import {
  bestText,
  isAlive,
  isOpen,
  isWorking,
  type Glance,
  type LiveMetric,
} from '../../presentation/sessions/sessionText.ts';

/** Minimum time between change events. */
const frameMs = 250;
/**
 * Time after which a change event fires without a change, to update times such as `2 min ago`:
 * while a session has not ended, and otherwise.
 */
const tickMs = { active: 30_000, idle: 60_000 };
const secondMs = 1_000;

export class OpenSessions implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #clock: Clock;
  readonly #changed = new Emitter<void>();
  readonly #recorded = new Emitter<{ readonly session: Session; readonly event: JournalEvent }>();
  readonly #runChanged = new Emitter<RunChange>();
  readonly #frames: Frames;
  readonly #watched = new Map<string, Disposable>();
  readonly #retries = new Map<string, NonNullable<Glance['retry']>>();
  #countDown: Disposable | undefined;
  #engine: Engine | undefined;
  #tick: Disposable | undefined;

  /** Fires at most four times a second, when a session, a run or a setting has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly onDidRecord: Event<{ readonly session: Session; readonly event: JournalEvent }> =
    this.#recorded.event;
  readonly onDidChangeRun: Event<RunChange> = this.#runChanged.event;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#frames = this.#owned.add(new Frames(clock, frameMs, () => this.#changed.fire()));
  }

  attach(engine: Engine): void {
    this.#engine = engine;
    this.#owned.add(engine.sessions.onDidChange(() => this.#watchAll()));
    this.#owned.add(
      engine.runs.onDidChange((change) => {
        this.#runChanged.fire(change);
        this.#frames.request();
      }),
    );
    this.#watchAll();
  }

  /** Fires `onDidChange`, for example after a setting has changed. */
  refresh(): void {
    this.#frames.request();
  }

  /**
   * Returns the open sessions, oldest first. Ended sessions are included while they are open in
   * this window.
   */
  all(): readonly Session[] {
    return this.#engine?.sessions.open() ?? [];
  }

  /** Returns the sessions that have not ended, newest first. */
  going(): readonly Session[] {
    return this.all()
      .filter(({ state }) => isOpen(state))
      .sort((a, b) => b.state.startedMs - a.state.startedMs);
  }

  get(id: string): Session | undefined {
    return this.all().find((session) => session.id === id);
  }

  get isWorking(): boolean {
    return this.all().some(({ state }) => isWorking(state) || state.phase === 'sleeping');
  }

  views(): readonly OpenSessionView[] {
    return this.all().map((session) => this.view(session));
  }

  view({ state, ledger }: Session): OpenSessionView {
    return { state, ledger, facts: (runId) => this.#factsOf(runId) };
  }

  #factsOf(runId: RunId): RunFacts | undefined {
    const run = this.#engine?.runs.get(runId);
    return run && { liveness: run.liveness, gpuTime: this.#engine?.resources.gpuTime(runId) };
  }

  glance(session: Session): Glance {
    const metric = this.#liveMetric(session);
    const best = bestText(session.ledger);
    const permissions = session.permissions();
    const retry = this.#retries.get(session.id);
    return {
      state: session.state,
      ...(retry && { retry }),
      ...(permissions && { permissions }),
      ...(metric && { metric }),
      ...(best !== undefined && { best }),
    };
  }

  dispose(): void {
    this.#tick?.dispose();
    this.#countDown?.dispose();
    for (const watch of this.#watched.values()) watch.dispose();
    this.#owned.dispose();
  }

  #watchAll(): void {
    const open = this.all();
    for (const session of open) {
      if (this.#watched.has(session.id)) continue;
      const watch = new DisposableStore();
      watch.add(
        session.onDidRecord((event) => {
          // The failed reply is recorded before the wait, and news end the wait.
          this.#retries.delete(session.id);
          this.#recorded.fire({ session, event });
          this.#frames.request();
        }),
      );
      watch.add(session.onDidStream((event) => this.#noteRetry(session.id, event)));
      this.#watched.set(session.id, watch);
    }
    for (const [id, watch] of this.#watched) {
      if (open.some((session) => session.id === id)) continue;
      watch.dispose();
      this.#watched.delete(id);
      this.#retries.delete(id);
    }
    this.#frames.request();
    this.#scheduleTick();
  }

  #noteRetry(id: string, event: StreamEvent): void {
    if (event.type === 'text.discarded') {
      this.#retries.set(id, { why: event.why, atMs: this.#clock.now() + event.retryMs });
      this.#frames.request();
      this.#keepCounting();
    } else if (this.#retries.delete(id)) this.#frames.request();
  }

  /** Fires change events each second while a model call is about to be repeated. */
  #keepCounting(): void {
    this.#countDown ??= this.#clock.after(secondMs, () => {
      this.#countDown = undefined;
      for (const [id, { atMs }] of this.#retries)
        if (atMs <= this.#clock.now()) this.#retries.delete(id);
      if (this.#retries.size > 0) this.#keepCounting();
      this.#frames.request();
    });
  }

  #scheduleTick(): void {
    this.#tick?.dispose();
    const delayMs = this.going().length > 0 ? tickMs.active : tickMs.idle;
    this.#tick = this.#clock.after(delayMs, () => {
      this.#scheduleTick();
      this.#frames.request();
    });
  }

  /**
   * Returns the value of the deciding metric in the newest active run that reports the metric;
   * otherwise in the newest run that reports it.
   */
  #liveMetric(session: Session): LiveMetric | undefined {
    const { state } = session;
    const { decisive } = session.ledger;
    if (decisive === undefined) return undefined;
    const runs = [...state.runs.values()].reverse();
    for (const run of [...runs.filter(isAlive), ...runs]) {
      const metrics = this.#engine?.runs.get(run.spec.id)?.metrics;
      const summary = summaryFor(metrics?.summaries() ?? run.metrics, decisive.metric);
      if (summary === undefined) continue;
      const trend = metrics?.trend(summary.metric) ?? 'insufficient_data';
      return {
        name: summary.metric,
        value: summary.last,
        trend: arrowOf(trend),
        runNumber: run.spec.number,
      };
    }
    return undefined;
  }
}

const arrowOf = (trend: Trend): LiveMetric['trend'] =>
  trend === 'increasing' ? 'up' : trend === 'decreasing' ? 'down' : 'flat';
