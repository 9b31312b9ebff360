/**
 * The data of a session view. For a session open in this window the data is live; otherwise it is
 * read from the session's files as they grow.
 */
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { UserFacing } from '../../base/errors.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import { homeAt } from '../../compose/home.ts';
import type { OpenSessions } from '../window/openSessions.ts';
import type { ObservedSession } from '../../agent/contract/observedSession.ts';
import type { SessionControls, SessionViewSource } from './viewSource.ts';

export interface SessionViewDeps {
  readonly engine: Engine;
  readonly sessions: OpenSessions;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the source. Rejects with `UserFacing` for a session that does not exist. */
export async function createSessionViewSource(
  deps: SessionViewDeps,
  id: SessionId,
): Promise<SessionViewSource & Disposable> {
  const source = new FollowedSession(deps, id);
  try {
    await source.refresh();
    if (source.events().length === 0)
      throw new UserFacing(
        `There is no session ${id}.`,
        'Select a session in the Experiments view.',
      );
    return source;
  } catch (error) {
    source.dispose();
    throw error;
  }
}

class FollowedSession implements SessionViewSource, Disposable {
  readonly id: SessionId;
  readonly #deps: SessionViewDeps;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #observed: ObservedSession;
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(deps: SessionViewDeps, id: SessionId) {
    const { engine, sessions, clock, logger } = deps;
    this.id = id;
    this.#deps = deps;
    const isOpenHere = (): boolean => this.#live !== undefined;
    this.#observed = this.#owned.add(engine.sessions.observe(id, { clock, logger, isOpenHere }));
    this.#owned.add(this.#observed.onDidChange(() => this.#changed.fire()));
    this.#owned.add(
      sessions.onDidRecord(({ session }) => session.id === id && this.#changed.fire()),
    );
    this.#owned.add(sessions.onDidChange(() => this.#live !== undefined && this.#changed.fire()));
  }

  get isGrowing(): boolean {
    return this.#live !== undefined || this.#observed.holder !== undefined;
  }

  events(): readonly JournalEvent[] {
    return this.#live?.events() ?? this.#observed.events;
  }

  ledger(): Ledger {
    const ledger = this.#live?.ledger ?? this.#observed.ledger();
    if (ledger === undefined) throw new UserFacing(`There is no session ${this.id}.`);
    return ledger;
  }

  controls(): SessionControls | string {
    const live = this.#live;
    if (live === undefined) return this.#readOnly();
    return {
      answer: (questionId, answer) => live.answer(questionId, answer),
      pin: (text) => live.pin(text),
      unpin: (number) => live.unpin(number),
    };
  }

  async series(runId: RunId, metric: string): Promise<SeriesColumns | undefined> {
    const run = (this.#live?.state ?? this.#observed.state)?.runs.get(runId);
    const metrics =
      this.#deps.engine.runs.get(runId)?.metrics ?? (run && (await this.#observed.metricsOf(run)));
    const columns = metrics?.series(metric);
    return columns === undefined || columns.values.length === 0 ? undefined : columns;
  }

  async readFile(file: string, maxChars: number): Promise<string> {
    const folder = homeAt(this.#deps.engine.home).sessionFolder(this.id);
    const inside = path.relative(folder, path.resolve(folder, file));
    if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside))
      throw new UserFacing('This text is not stored with the session.');
    await using handle = await open(path.join(folder, inside));
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, maxChars));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  }

  setWatched(isWatched: boolean): void {
    this.#observed.setWatched(isWatched);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  refresh(): Promise<void> {
    return this.#observed.refresh();
  }

  get #live(): Session | undefined {
    return this.#deps.sessions.get(this.id);
  }

  #readOnly(): string {
    const { holder } = this.#observed;
    return holder === undefined
      ? 'This session is not running, so it is read-only. Resume it to answer questions and add sticky notes.'
      : `This session is running in another process (${holder.pid} on ${holder.host}), so it is read-only here.`;
  }
}
