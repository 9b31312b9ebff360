import { commands } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { contextKeys } from '../ui/contributions.ts';
import type { OpenSessions } from './openSessions.ts';

/**
 * Keeps the context keys up to date. A key is sent only when its value changes, as each one is a
 * message to the window.
 */
export function keepContextKeys(sessions: OpenSessions): Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void commands.executeCommand('setContext', key, value);
  };
  const update = (): void => {
    set(contextKeys.hasSession, sessions.going().length > 0);
    set(contextKeys.isWorking, sessions.isWorking);
    set(
      contextKeys.hasRuns,
      sessions.all().some(({ state }) => state.runs.size > 0),
    );
  };
  update();
  return sessions.onDidChange(update);
}
