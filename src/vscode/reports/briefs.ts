/**
 * Opens the brief of a session that ended while the user was not looking, once per session: at once
 * if the window has focus, otherwise when the window gets focus or is next opened.
 */
import { readdir, stat } from 'node:fs/promises';
import { window, type Memento } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { EndReason } from '../../agent/journal/events.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { isSessionId, type SessionId } from '../../base/ids.ts';
import { homeAt } from '../../compose/home.ts';
import { openToTheSide } from './openBrief.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { isInside } from '../ui/folders.ts';
import { maybeUnseen, rememberedBriefs, withSeen, type BriefMemory } from './unseenBriefs.ts';
import { setting } from '../ui/settings.ts';

export interface BriefsOptions {
  readonly deps: Pick<WindowDeps, 'host' | 'sessions' | 'following' | 'logger'>;
  /** VS Code's state store of the workspace. */
  readonly memory: Memento;
  readonly home: string;
  readonly folders: () => readonly string[];
  readonly clock: Clock;
}

const memoryKey = 'helios.briefs';
/** Maximum number of sessions to check, newest first. */
const maxRead = 30;

export class Briefs implements Disposable {
  readonly #options: BriefsOptions;
  readonly #owned = new DisposableStore();
  /** The newest brief that waits for the window to get focus. */
  #waiting: { readonly id: SessionId; readonly file: string } | undefined;

  constructor(options: BriefsOptions) {
    this.#options = options;
    const { sessions } = options.deps;
    this.#owned.add(
      sessions.onDidRecord(({ session, event }) => {
        if (event.type === 'session.ended') this.#attempt(() => this.#ended(session, event.reason));
      }),
    );
    this.#owned.add(
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#attempt(() => this.#showWaiting());
      }),
    );
  }

  /**
   * Opens the brief of a session that ended while no window had this workspace open. If no session
   * has changed, no engine is created.
   */
  async openMissed(): Promise<void> {
    const memory = this.#memory;
    await this.#keep(memory);
    const ids = await this.#changedSince(memory);
    if (ids.length === 0 || setting('report.open') === 'never') return;
    const engine = await this.#options.deps.host.get();
    for (const id of ids) {
      const file = await this.#missed(engine, id);
      if (file !== undefined && this.#waiting === undefined) this.#waiting = { id, file };
    }
    if (window.state.focused) await this.#showWaiting();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #ended({ id }: Session, reason: EndReason): Promise<void> {
    const { host, following } = this.#options.deps;
    const isSeen = reason === 'user' || (window.state.focused && following.isFollowed(id));
    if (isSeen || setting('report.open') === 'never') return this.#keep(withSeen(this.#memory, id));
    const engine = await host.get();
    const written = await engine.reports.afterEnd(id);
    if (written === undefined) return;
    this.#waiting = { id, file: written.file };
    if (window.state.focused) await this.#showWaiting();
  }

  async #showWaiting(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    await this.#keep(withSeen(this.#memory, waiting.id));
    await openToTheSide(waiting.file, this.#options.deps.logger);
  }

  /** Returns the sessions that changed and may have an unseen brief, newest first. */
  async #changedSince(memory: BriefMemory): Promise<SessionId[]> {
    const home = homeAt(this.#options.home);
    const ids = (await readdir(home.sessionsFolder).catch((): string[] => []))
      .filter(isSessionId)
      .sort()
      .reverse();
    const changed = await Promise.all(
      ids.slice(0, maxRead).map(async (id) => {
        const found = await stat(home.journalFile(id)).catch(() => undefined);
        return found !== undefined && maybeUnseen(memory, id, found.mtimeMs) ? [id] : [];
      }),
    );
    return changed.flat();
  }

  async #missed({ sessions, reports }: Engine, id: SessionId): Promise<string | undefined> {
    try {
      const { state } = await sessions.read(id);
      const isOurs = this.#options.folders().some((folder) => isInside(folder, state.workFolder));
      return isOurs && state.end !== undefined && state.end.reason !== 'user'
        ? await reports.find(id)
        : undefined;
    } catch (error) {
      this.#options.deps.logger.warn(`The brief of ${id} was not looked for: ${messageOf(error)}`);
      return undefined;
    }
  }

  get #memory(): BriefMemory {
    return rememberedBriefs(this.#options.memory.get(memoryKey), this.#options.clock.now());
  }

  async #keep(memory: BriefMemory): Promise<void> {
    await this.#options.memory.update(memoryKey, memory);
  }

  #attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#options.deps.logger.error(`brief: ${messageOf(error)}`));
  }
}
