import { commands } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { contextKeys } from '../ui/contributions.ts';
import type { OpenSessions } from './openSessions.ts';

/**
 * Keeps the context keys up to date. A key is set only when its value changes, because each
 * `setContext` call is a message to VS Code's window.
 */
export function keepContextKeys(sessions: OpenSessions): Disposable {
  const values = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (values.get(key) === value) return;
    values.set(key, value);
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
