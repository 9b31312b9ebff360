/** Sessions that a reload or a crash interrupted go on, by themselves or when the person wants it, and say so. */
import { readdir } from 'node:fs/promises';
import { window } from 'vscode';
import type { Engine, Session } from '../../agent/engine.ts';
import type { SessionState } from '../../agent/state.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/text.ts';
import { homeAt } from '../../storage/home.ts';
import type { Settings } from '../contributions.ts';
import type { EngineHost } from '../engineHost.ts';
import { offer } from '../notices.ts';
import { isInside } from '../present/folders.ts';

export interface ResumeOptions {
  readonly host: EngineHost;
  readonly home: string;
  readonly policy: Settings['session.resume'];
  /** Folders of this window: a session goes on where its files are open, and nowhere else by itself. */
  readonly folders: () => readonly string[];
  readonly logger: Logger;
}

/** Builds no engine where the home has no session. */
export async function resumeInterrupted(options: ResumeOptions): Promise<readonly Session[]> {
  const { host, home, policy, logger } = options;
  const saved = policy === 'never' ? [] : await readdir(homeAt(home).sessionsFolder).catch(() => []);
  if (saved.length === 0) return [];
  const engine = await host.get();
  const found = await interruptedHere(engine, options);
  if (found.length === 0 || (policy === 'ask' && !(await isWanted(found)))) return [];
  const resuming = found.map(({ id }) =>
    engine.sessions.resume(id).catch((error: unknown) => {
      logger.warn(`${id} was not resumed: ${messageOf(error)}`);
      return undefined;
    }),
  );
  const resumed = (await Promise.all(resuming)).filter((session) => session !== undefined);
  for (const session of resumed) {
    logger.info(`Resumed ${session.id}`);
    const shown = window.showInformationMessage(`Helios goes on with “${oneLine(session.state.goal, 80)}”.`, 'Follow');
    void offer(shown, { Follow: 'helios.follow' }, session.id);
  }
  return resumed;
}

async function interruptedHere(engine: Engine, { folders, logger }: ResumeOptions): Promise<SessionState[]> {
  const reading = (await engine.sessions.interrupted()).map((id) =>
    engine.sessions.read(id).catch((error: unknown) => {
      logger.warn(`${id} cannot be read: ${messageOf(error)}`);
      return undefined;
    }),
  );
  const states = (await Promise.all(reading)).flatMap((found) => found?.state ?? []);
  return states.filter(({ workFolder }) => folders().some((folder) => isInside(folder, workFolder)));
}

/** Closing the question leaves them as they are; they can be resumed from the Experiments view. */
async function isWanted(states: readonly SessionState[]): Promise<boolean> {
  const [first] = states;
  const goal = `“${oneLine(first?.goal ?? '', 80)}”`;
  const what = states.length === 1 ? `${goal} was` : `${states.length} sessions were`;
  return (await window.showInformationMessage(`Helios: ${what} interrupted.`, 'Resume', 'Not Now')) === 'Resume';
}
