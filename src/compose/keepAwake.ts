import type { SessionStore } from '../agent/session/sessionStore.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { KeepAwake, type KeepAwakeOptions } from '../power/keepAwake.ts';

export interface AwakeOptions extends Omit<KeepAwakeOptions, 'isWanted'> {
  settings(): EngineSettings;
}

/**
 * Keeps the computer awake while sessions work. Reads the setting `keepAwake` when the first
 * session starts to work.
 */
export function keepAwake(
  sessions: Pick<SessionStore, 'onDidChange' | 'open'>,
  { settings, ...options }: AwakeOptions,
): Disposable {
  let isWanted = false;
  const awake = new KeepAwake({ ...options, isWanted: () => isWanted });
  let wasWorking = false;
  const listening = sessions.onDidChange(() => {
    const isWorking = sessions
      .open()
      .some(({ state }) => state.phase !== 'ended' && state.phase !== 'paused');
    if (isWorking === wasWorking) return;
    wasWorking = isWorking;
    isWanted = isWorking && settings().keepAwake === true;
    awake.update();
  });
  return toDisposable(() => {
    listening.dispose();
    awake.dispose();
  });
}
