/** The data of a session view: live while the session is open in this window, else its journal as it grows. Knows no `vscode`. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Engine, Session } from '../../agent/engine.ts';
import type { JournalEvent, SessionEvent } from '../../agent/events.ts';
import { applyEvent, foldSession } from '../../agent/fold/fold.ts';
import { ledgerOf } from '../../agent/runs/runDesk.ts';
import type { SessionState } from '../../agent/state.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import { homeAt, type Home } from '../../storage/home.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import { Lease } from '../../storage/lease.ts';
import type { OpenSessions } from '../openSessions.ts';
import { SavedMetrics } from './savedMetrics.ts';
import type { SessionHand, SessionViewSource } from '../sessionView/viewSource.ts';

/** How often a journal of another process is looked at while somebody watches. */
const lookEveryMs = 1_000;

export interface SessionViewWorld {
  readonly engine: Engine;
  readonly sessions: OpenSessions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Rejects with `UserFacing` for a session that does not exist. */
export async function createSessionViewSource(
  world: SessionViewWorld,
  id: SessionId,
): Promise<SessionViewSource & Disposable> {
  const source = new FollowedSession(world, id);
  try {
    await source.look();
    if (source.events().length === 0)
      throw new UserFacing(`There is no session ${id}.`, 'List the sessions to see their ids.');
    return source;
  } catch (error) {
    source.dispose();
    throw error;
  }
}

/** What a journal file has told so far. */
interface Told {
  readonly events: JournalEvent[];
  state: SessionState | undefined;
  ledger: Ledger | undefined;
}

const nothingTold = (): Told => ({ events: [], state: undefined, ledger: undefined });

class FollowedSession implements SessionViewSource, Disposable {
  readonly id: SessionId;
  readonly #world: SessionViewWorld;
  readonly #home: Home;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #saved: SavedMetrics;
  #follower: JournalFollower<SessionEvent>;
  #told = nothingTold();
  #readOnly = '';
  #isHeld = false;
  #isWatched = false;
  #isDisposed = false;
  #timer: Disposable | undefined;
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(world: SessionViewWorld, id: SessionId) {
    const { engine, sessions } = world;
    this.id = id;
    this.#world = world;
    this.#home = homeAt(engine.home);
    this.#saved = new SavedMetrics(this.#home);
    this.#follower = new JournalFollower(this.#home.journalFile(id));
    this.#owned.add(sessions.onDidRecord(({ session }) => session.id === id && this.#changed.fire()));
    this.#owned.add(sessions.onDidChange(() => this.#live !== undefined && this.#changed.fire()));
  }

  get isGrowing(): boolean {
    return this.#live !== undefined || this.#isHeld;
  }

  events(): readonly JournalEvent[] {
    return this.#live?.events() ?? this.#told.events;
  }

  ledger(): Ledger {
    if (this.#live !== undefined) return this.#live.ledger;
    const { state } = this.#told;
    if (state === undefined) throw new UserFacing(`There is no session ${this.id}.`);
    this.#told.ledger ??= ledgerOf(state, (run) => run.metrics);
    return this.#told.ledger;
  }

  hand(): SessionHand | string {
    const live = this.#live;
    if (live === undefined) return this.#readOnly;
    return {
      answer: (questionId, answer) => live.answer(questionId, answer),
      pin: (text) => live.pin(text),
      unpin: (number) => live.unpin(number),
    };
  }

  async series(runId: RunId, metric: string): Promise<SeriesColumns | undefined> {
    const run = (this.#live?.state ?? this.#told.state)?.runs.get(runId);
    const metrics = this.#world.engine.runs.get(runId)?.metrics ?? (run && (await this.#saved.of(run)));
    const columns = metrics?.series(metric);
    return columns === undefined || columns.values.length === 0 ? undefined : columns;
  }

  async readFile(file: string, maxChars: number): Promise<string> {
    const folder = this.#home.sessionFolder(this.id);
    const inside = path.relative(folder, path.resolve(folder, file));
    if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside))
      throw new UserFacing('This text is not kept with the session.');
    await using handle = await open(path.join(folder, inside));
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, maxChars));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  }

  setWatched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (isWatched) this.#lookLater();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.setWatched(false);
    this.#saved.forget();
    this.#owned.dispose();
  }

  /** Reads what the journal has gained, and who writes it. Nothing to do while it is written here. */
  async look(): Promise<void> {
    if (this.#live !== undefined) return;
    const before = this.#told.events.length;
    const wasHeld = this.#isHeld;
    const holder = await Lease.holder(this.#home.leaseFile(this.id), this.#world.clock);
    this.#isHeld = holder !== undefined;
    this.#readOnly =
      holder === undefined
        ? 'Nobody works on this session now, so it can only be read. Resume it to answer questions and to pin notes.'
        : `This session goes on in another process (${holder.pid} on ${holder.host}), so it can only be read here.`;
    for await (const { events, isFromStart } of this.#follower.read()) {
      if (isFromStart) this.#told = nothingTold();
      this.#take(events as readonly JournalEvent[]);
    }
    if (this.#told.events.length !== before || this.#isHeld !== wasHeld) this.#changed.fire();
  }

  get #live(): Session | undefined {
    return this.#world.sessions.get(this.id);
  }

  #take(events: readonly JournalEvent[]): void {
    const { state } = this.#told;
    this.#told.events.push(...events);
    this.#told.state = state === undefined ? foldSession(events) : events.reduce(applyEvent, state);
    this.#told.ledger = undefined;
  }

  #lookLater(): void {
    this.#timer = this.#world.clock.after(lookEveryMs, () => {
      this.look()
        .catch((error: unknown) => this.#world.logger.warn(`Journal of ${this.id}: ${messageOf(error)}`))
        .finally(() => {
          if (this.#isWatched && !this.#isDisposed) this.#lookLater();
        });
    });
  }
}
