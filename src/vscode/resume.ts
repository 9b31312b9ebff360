/** Sessions that a reload or a crash interrupted go on by themselves, and say so. */
import { readdir } from 'node:fs/promises';
import { window } from 'vscode';
import type { Engine, Session } from '../agent/engine.ts';
import { messageOf } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { oneLine } from '../base/text.ts';
import { homeAt } from '../storage/home.ts';
import type { EngineHost } from './engineHost.ts';
import { offer } from './notices.ts';
import { isInside } from './present/folders.ts';

export interface ResumeOptions {
  readonly host: EngineHost;
  readonly home: string;
  /** Folders of this window: a session goes on where its files are open, and nowhere else by itself. */
  readonly folders: () => readonly string[];
  readonly logger: Logger;
}

/** Builds no engine where the home has no session. */
export async function resumeInterrupted({ host, home, folders, logger }: ResumeOptions): Promise<readonly Session[]> {
  const saved = await readdir(homeAt(home).sessionsFolder).catch(() => []);
  if (saved.length === 0) return [];
  const engine = await host.get();
  const resumed: Session[] = [];
  for (const id of await engine.sessions.interrupted()) {
    const session = await resumeHere(engine, id, folders()).catch((error: unknown) => {
      logger.warn(`${id} was not resumed: ${messageOf(error)}`);
      return undefined;
    });
    if (session !== undefined) resumed.push(session);
  }
  for (const session of resumed) {
    logger.info(`Resumed ${session.id}`);
    const shown = window.showInformationMessage(`Helios goes on with “${oneLine(session.state.goal, 80)}”.`, 'Follow');
    void offer(shown, { Follow: 'helios.follow' }, session.id);
  }
  return resumed;
}

async function resumeHere(engine: Engine, id: SessionId, folders: readonly string[]): Promise<Session | undefined> {
  const { state } = await engine.sessions.read(id);
  return folders.some((folder) => isInside(folder, state.workFolder)) ? engine.sessions.resume(id) : undefined;
}
