/**
 * Opens the brief of a session whose end the user did not see, once per session: immediately if the
 * window has focus, otherwise when the window gets focus or is next opened.
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
  /** VS Code's workspace state, which stores the seen briefs. */
  readonly memory: Memento;
  readonly home: string;
  readonly folders: () => readonly string[];
  readonly clock: Clock;
}

const memoryKey = 'helios.briefs';
/** Maximum number of sessions to check for unseen briefs. The newest sessions are checked. */
const maxRead = 30;

export class Briefs implements Disposable {
  readonly #options: BriefsOptions;
  readonly #owned = new DisposableStore();
  /** The newest brief that waits for the window to get focus. */
  #waitingBrief: { readonly id: SessionId; readonly file: string } | undefined;

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
   * Opens the newest brief among the sessions that ended while no window had this workspace open.
   * If no session can have an unseen brief, no engine is created.
   */
  async openMissed(): Promise<void> {
    const memory = this.#memory;
    await this.#saveMemory(memory);
    const ids = await this.#changedSince(memory);
    if (ids.length === 0 || setting('report.open') === 'never') return;
    const engine = await this.#options.deps.host.get();
    for (const id of ids) {
      const file = await this.#missed(engine, id);
      if (file !== undefined && this.#waitingBrief === undefined) this.#waitingBrief = { id, file };
    }
    if (window.state.focused) await this.#showWaiting();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #ended({ id }: Session, reason: EndReason): Promise<void> {
    const { host, following } = this.#options.deps;
    const isSeen = reason === 'user' || (window.state.focused && following.isFollowed(id));
    if (isSeen || setting('report.open') === 'never')
      return this.#saveMemory(withSeen(this.#memory, id));
    const engine = await host.get();
    const written = await engine.reports.afterEnd(id);
    if (written === undefined) return;
    this.#waitingBrief = { id, file: written.file };
    if (window.state.focused) await this.#showWaiting();
  }

  async #showWaiting(): Promise<void> {
    const waiting = this.#waitingBrief;
    if (waiting === undefined) return;
    this.#waitingBrief = undefined;
    await this.#saveMemory(withSeen(this.#memory, waiting.id));
    await openToTheSide(waiting.file, this.#options.deps.logger);
  }

  /** Returns the ids of sessions that may have an unseen brief, newest first. */
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
      this.#options.deps.logger.warn(`Could not check for a brief of ${id}: ${messageOf(error)}`);
      return undefined;
    }
  }

  get #memory(): BriefMemory {
    return rememberedBriefs(this.#options.memory.get(memoryKey), this.#options.clock.now());
  }

  async #saveMemory(memory: BriefMemory): Promise<void> {
    await this.#options.memory.update(memoryKey, memory);
  }

  #attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => this.#options.deps.logger.error(`brief: ${messageOf(error)}`));
  }
}
