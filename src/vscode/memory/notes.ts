/**
 * Data of the Memory view: the notes of each open session, the notes that the sessions of the
 * project in this window share, and the notes that all sessions share.
 */
import { join } from 'node:path';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { MemoryStore } from '../../compose/memory.ts';
import type { EngineHost } from '../window/engineHost.ts';
import { frontFolder } from '../ui/workFolder.ts';
import { Frames } from '../ui/frames.ts';
import type { OpenSessions } from '../window/openSessions.ts';
import type { MemorySection } from './memoryRows.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';

const frameMs = 500;

export class Notes implements Disposable {
  readonly #host: EngineHost;
  readonly #sessions: OpenSessions;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  readonly #changed = new Emitter<void>();
  readonly #frames: Frames;
  readonly #watched = new Set<MemoryStore>();
  #shared: MemoryStore | undefined;
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(host: EngineHost, sessions: OpenSessions, clock: Clock) {
    this.#host = host;
    this.#sessions = sessions;
    this.#clock = clock;
    this.#frames = this.#owned.add(new Frames(clock, frameMs, () => this.#changed.fire()));
    this.#owned.add(
      sessions.onDidChange(() => {
        if (sessions.all().some(({ memory }) => !this.#watched.has(memory))) this.#frames.request();
      }),
    );
  }

  /** Returns the notes of each open session, newest session first, then the shared notes. */
  async sections(): Promise<readonly MemorySection[]> {
    const engine = await this.#host.get();
    const sessions = [...this.#sessions.all()].reverse();
    const sessionSections = sessions.map(async ({ id, state, memory }): Promise<MemorySection> => {
      this.#watch(memory);
      return { session: { id, name: sessionName(state) }, root: '/', nodes: await memory.tree() };
    });
    const nodes = await this.#watch(this.#sharedStore(engine)).tree();
    return [
      ...(await Promise.all(sessionSections)),
      { root: '/project', nodes },
      { root: '/global', nodes },
    ];
  }

  /**
   * Returns the note store of an open session; the store of the shared notes if `sessionId` is
   * `undefined` or the session is not open.
   */
  async store(sessionId: string | undefined): Promise<MemoryStore> {
    const engine = await this.#host.get();
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    return session?.memory ?? this.#sharedStore(engine);
  }

  refresh(): void {
    this.#frames.request();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #sharedStore({ home, memoryFolders }: Engine): MemoryStore {
    // The store is used only for shared notes, so its folder for session notes is never created.
    this.#shared ??= this.#owned.add(
      new MemoryStore({
        sessionFolder: join(home, 'no-session'),
        projectFolder: memoryFolders.project(frontFolder()?.fsPath ?? home),
        globalFolder: memoryFolders.global,
        clock: this.#clock,
      }),
    );
    return this.#shared;
  }

  #watch(store: MemoryStore): MemoryStore {
    if (this.#watched.has(store)) return store;
    this.#watched.add(store);
    this.#owned.add(store.onDidChange(() => this.#frames.request()));
    return store;
  }
}
