/**
 * Read-only view of a session that is not open in this process. The view follows the session's
 * journal and the output of its runs.
 */
import type { News, ObservedSession } from '../contract/observedSession.ts';
import type { JournalEvent, SessionEvent } from '../journal/events.ts';
import { foldSession } from '../journal/fold.ts';
import { isGoing } from '../runs/foreignLedger.ts';
import { ledgerOf } from '../runs/sessionLedger.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import { ForeignPoints } from '../../runs/foreignPoints.ts';
import type { Home } from '../../storage/home.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import { Lease } from '../../storage/lease.ts';
import { SystemSeries } from './systemSeries.ts';

/** Interval between refreshes while a front end watches the session, in milliseconds. */
const refreshEveryMs = 1_000;

export interface ForeignSessionDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly logger: Logger;
  /** When this function returns true, nothing is read: the session is open in this process. */
  isOpenHere(): boolean;
}

type Holder = Awaited<ReturnType<typeof Lease.holder>>;

export class ForeignSession implements ObservedSession {
  readonly #id: SessionId;
  readonly #deps: ForeignSessionDeps;
  readonly #home: Home;
  readonly #follower: JournalFollower<SessionEvent>;
  readonly #points: ForeignPoints;
  readonly #system: SystemSeries;
  readonly #changed = new Emitter<News>();
  #events: JournalEvent[] = [];
  #state: SessionState | undefined;
  #ledger: Ledger | undefined;
  #holder: Holder;
  /** Metrics of the active runs. */
  readonly #live = new Map<RunId, RunMetrics>();
  #isWatched = false;
  #timer: Disposable | undefined;
  readonly onDidChange: Event<News> = this.#changed.event;

  constructor(deps: ForeignSessionDeps, id: SessionId) {
    this.#id = id;
    this.#deps = deps;
    this.#home = deps.home;
    this.#follower = new JournalFollower(this.#home.journalFile(id));
    this.#points = new ForeignPoints(this.#home, deps.clock);
    this.#system = new SystemSeries(this.#home, deps.clock);
  }

  /** All events read so far, oldest first. */
  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  /** `undefined` before the first read, and when the first line of the journal is missing. */
  get state(): SessionState | undefined {
    return this.#state;
  }

  /** Process that works on the session. */
  get holder(): Holder {
    return this.#holder;
  }

  /** Returns the ledger, including what the active runs have printed so far. */
  ledger(): Ledger | undefined {
    const values = ({ spec, metrics }: RunState) => this.#live.get(spec.id)?.summaries() ?? metrics;
    this.#ledger ??= this.#state && ledgerOf(this.#state, values);
    return this.#ledger;
  }

  /** Resolves with all metric points of a run; `undefined` when no points are available. */
  metricsOf({
    spec,
    verdict,
  }: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined> {
    return this.#points.of(spec, verdict !== undefined);
  }

  systemOf(run: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined> {
    return this.#system.of(run);
  }

  systemNames(runs: readonly Pick<RunState, 'spec' | 'verdict'>[]): Promise<readonly string[]> {
    return this.#system.names(runs);
  }

  /**
   * Starts or stops the regular refresh. Without the regular refresh, only `refresh` reads
   * anything.
   */
  setWatched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (isWatched) this.#refreshLater();
  }

  dispose(): void {
    this.setWatched(false);
    this.#points.forget();
    this.#system.forget();
    this.#changed.dispose();
  }

  /**
   * Reads what was added to the journal and to the metrics since the last refresh. Rejects when
   * either cannot be read.
   */
  async refresh(): Promise<void> {
    if (this.#deps.isOpenHere()) return;
    const [before, wasHeld] = [this.#events.length, this.#holder !== undefined];
    this.#holder = await Lease.holder(this.#home.leaseFile(this.#id), this.#deps.clock);
    for await (const { events, isFromStart } of this.#follower.read()) {
      if (isFromStart) this.#begin();
      this.#take(events as readonly JournalEvent[]);
    }
    const grown = await this.#readPoints();
    if (grown.length > 0) this.#ledger = undefined;
    const isOther = this.#events.length !== before || (this.#holder !== undefined) !== wasHeld;
    if (isOther || grown.length > 0) this.#changed.fire({ grown });
  }

  #begin(): void {
    this.#events = [];
    this.#state = undefined;
    this.#ledger = undefined;
  }

  #take(events: readonly JournalEvent[]): void {
    this.#events.push(...events);
    this.#state = foldSession(events, this.#state);
    this.#ledger = undefined;
  }

  async #readPoints(): Promise<readonly RunId[]> {
    const going = [...(this.#state?.runs.values() ?? [])].filter(isGoing);
    const goingIds = new Set(going.map(({ spec }) => spec.id));
    for (const id of this.#live.keys()) if (!goingIds.has(id)) this.#live.delete(id);
    const read = await Promise.all(
      going.map(async ({ spec }) => [spec.id, await this.#points.of(spec, false)] as const),
    );
    const grown: RunId[] = [];
    for (const [id, metrics] of read) {
      if (metrics === undefined || metrics === this.#live.get(id)) continue;
      this.#live.set(id, metrics);
      grown.push(id);
    }
    return grown;
  }

  #refreshLater(): void {
    this.#timer = this.#deps.clock.after(refreshEveryMs, () => {
      this.refresh()
        .catch((error: unknown) =>
          this.#deps.logger.warn(`Session ${this.#id}: ${messageOf(error)}`),
        )
        .finally(() => {
          if (this.#isWatched) this.#refreshLater();
        });
    });
  }
}
