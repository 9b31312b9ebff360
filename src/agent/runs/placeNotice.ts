/** Warns of the place in which Helios runs when the first run of a session starts. */
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import type { PlaceWarning } from '../../base/placeWarnings.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface PlaceNoticeDeps {
  readonly log: Pick<SessionLog, 'record' | 'events' | 'onDidRecord'>;
  readonly placeWarnings: readonly PlaceWarning[];
  /** Called when an event cannot be recorded. */
  onFailed(error: unknown): void;
}

/** Records each warning once per session. */
export function warnOfPlace({ log, placeWarnings, onFailed }: PlaceNoticeDeps): Disposable {
  if (placeWarnings.length === 0) return toDisposable(() => undefined);
  const listening = log.onDidRecord(({ type }) => {
    if (type !== 'run.started') return;
    listening.dispose();
    if (log.events.some((event) => event.type === 'place.warned')) return;
    for (const warning of placeWarnings)
      log.record({ type: 'place.warned', ...warning }).catch(onFailed);
  });
  return listening;
}
