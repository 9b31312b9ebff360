import { commands } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { contextValues } from './contextValues.ts';
import type { OpenSessions } from './openSessions.ts';

/**
 * Keeps the context keys up to date. A key is set only when its value changes, because each
 * `setContext` call is a message to VS Code's window. `isShown`: whether a panel shows the session.
 */
export function keepContextKeys(
  sessions: OpenSessions,
  isShown: (sessionId: string) => boolean,
): Disposable {
  const values = new Map<string, boolean>();
  const update = (): void => {
    const states = sessions.all().map(({ state }) => state);
    for (const [key, value] of contextValues(states, isShown)) {
      if (values.get(key) === value) continue;
      values.set(key, value);
      void commands.executeCommand('setContext', key, value);
    }
  };
  update();
  return sessions.onDidChange(update);
}
