/**
 * Resumes sessions that a reload or a crash interrupted, automatically or after asking the user,
 * and shows a notification for each resumed session.
 */
import { readdir } from 'node:fs/promises';
import { window } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/text.ts';
import { homeAt, isPassing } from '../../compose/home.ts';
import { canRunCommands } from '../../compose/filesOnly.ts';
import type { Settings } from '../../presentation/settings/settings.ts';
import type { EngineHost } from '../window/engineHost.ts';
import { offer } from '../notifications/notices.ts';
import { offerMachines } from '../ui/commandRegistry.ts';
import { isInside } from '../ui/folders.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';

export interface ResumeOptions {
  readonly host: EngineHost;
  readonly home: string;
  readonly policy: Settings['session.resume'];
  /**
   * Folders of this window. A session resumes automatically only in a window that has the session's
   * folder open.
   */
  readonly folders: () => readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Delays between the searches for interrupted sessions after a reload. The search is repeated
 * because the previous window may hold the leases of its sessions for a few seconds.
 */
const checksAfterMs = [500, 1_500, 4_000, 10_000];
/** Delay before the next attempt after a session could not be resumed because of a disk error. */
const retryDelayMs = 30_000;

export class Resumption implements Disposable {
  readonly #options: ResumeOptions;
  /** Sessions that were already resumed or offered to the user; each is handled only once. */
  readonly #handledIds = new Set<SessionId>();
  #next: Disposable | undefined;

  constructor(options: ResumeOptions) {
    this.#options = options;
  }

  /**
   * Starts the search for interrupted sessions. Resolves when all sessions that the first search
   * found have been resumed, or offered to the user. If the home folder has no sessions, no engine
   * is created.
   */
  async begin(): Promise<void> {
    const { home, policy } = this.#options;
    const saved =
      policy === 'never' ? [] : await readdir(homeAt(home).sessionsFolder).catch(() => []);
    if (saved.length > 0) await this.#check(0);
  }

  dispose(): void {
    this.#next?.dispose();
  }

  async #check(round: number): Promise<void> {
    const { host, policy, logger } = this.#options;
    const engine = await host.get();
    const found = (await interruptedHere(engine, this.#options)).filter(
      ({ id }) => !this.#handledIds.has(id),
    );
    for (const { id } of found) this.#handledIds.add(id);
    const afterMs = checksAfterMs[round];
    if (afterMs !== undefined) this.#checkLater(afterMs, round + 1);
    else if (round === checksAfterMs.length) await this.#offerTakeovers(engine);
    if (found.length === 0) return;
    if (!canRunCommands(engine.machines.list())) return void offerMachines();
    // Not awaited, so that startup continues while the user has not answered.
    if (policy === 'ask')
      void this.#ask(engine, found).catch((error: unknown) =>
        logger.error(`resume: ${messageOf(error)}`),
      );
    else await this.#resume(engine, found);
  }

  #checkLater(afterMs: number, round: number): void {
    const { clock, logger } = this.#options;
    this.#next?.dispose();
    this.#next = clock.after(afterMs, () => {
      this.#check(round).catch((error: unknown) => logger.error(`resume: ${messageOf(error)}`));
    });
  }

  /**
   * Offers, once per session, to take over sessions that run in another window. After a lost
   * connection to a remote host, the extension host of the old window may keep running for hours.
   */
  async #offerTakeovers({ sessions }: Engine): Promise<void> {
    for (const { id, endReason } of await sessions.list()) {
      if (
        endReason !== undefined ||
        this.#handledIds.has(id) ||
        (await sessions.owner(id))?.kind !== 'window'
      )
        continue;
      const { state } = await sessions.read(id);
      const isOpenHere = sessions.open().some((open) => open.id === id);
      if (isOpenHere || state.phase === 'paused' || !isInFolders(state, this.#options.folders()))
        continue;
      this.#handledIds.add(id);
      const text = `“${oneLine(sessionName(state), 80)}” is running in another window of this folder.`;
      void offer(
        window.showInformationMessage(text, 'Take Over Here'),
        { 'Take Over Here': 'helios.resumeSession' },
        id,
      );
    }
  }

  async #ask(engine: Engine, found: readonly SessionState[]): Promise<void> {
    if (await askToResume(found)) await this.#resume(engine, found);
  }

  async #resume(engine: Engine, found: readonly SessionState[]): Promise<void> {
    const { logger } = this.#options;
    const resuming = found.map(({ id }) =>
      engine.sessions.resume(id).catch((error: unknown) => {
        this.#handledIds.delete(id);
        logger.warn(`${id} was not resumed: ${messageOf(error)}`);
        if (isPassing(error)) this.#checkLater(retryDelayMs, checksAfterMs.length);
        return undefined;
      }),
    );
    for (const session of await Promise.all(resuming))
      if (session !== undefined) showResumed(session, logger);
  }
}

function showResumed({ id, state }: Session, logger: Logger): void {
  logger.info(`Resumed ${id}`);
  const shown = window.showInformationMessage(
    `Helios resumed “${oneLine(sessionName(state), 80)}”.`,
    'Follow',
  );
  void offer(shown, { Follow: 'helios.follow' }, id);
}

async function interruptedHere(
  engine: Engine,
  { folders, logger }: ResumeOptions,
): Promise<SessionState[]> {
  const reading = (await engine.sessions.interrupted()).map((id) =>
    engine.sessions.read(id).catch((error: unknown) => {
      logger.warn(`${id} cannot be read: ${messageOf(error)}`);
      return undefined;
    }),
  );
  const states = (await Promise.all(reading)).flatMap((found) => found?.state ?? []);
  return states.filter((state) => isInFolders(state, folders()));
}

const isInFolders = ({ workFolder }: SessionState, folders: readonly string[]): boolean =>
  folders.some((folder) => isInside(folder, workFolder));

/**
 * Asks the user whether to resume the sessions. If the user closes the question, the sessions do
 * not change and can be resumed later from the Experiments view.
 */
async function askToResume(states: readonly SessionState[]): Promise<boolean> {
  const [first] = states;
  const name = first === undefined ? '' : `“${oneLine(sessionName(first), 80)}”`;
  const what = states.length === 1 ? `${name} was` : `${states.length} sessions were`;
  return (
    (await window.showInformationMessage(`Helios: ${what} interrupted.`, 'Resume', 'Not Now')) ===
    'Resume'
  );
}
