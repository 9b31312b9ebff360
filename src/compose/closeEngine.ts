/** Closes the parts of an engine. */
import type { SessionReports } from '../agent/reports/reports.ts';
import type { SessionCatalogue } from '../agent/session/sessionCatalogue.ts';
import type { SessionStore } from '../agent/session/sessionStore.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Notifier } from '../notify/notifier.ts';

export interface EngineParts {
  readonly models: Disposable;
  readonly reports: Pick<SessionReports, 'close'>;
  readonly awake: Disposable;
  readonly requests: Disposable;
  readonly sessions: Pick<SessionStore, 'close'>;
  readonly notifier: Pick<Notifier, 'close'>;
  readonly systemMetrics: Disposable;
  readonly resources: Disposable;
  readonly runs: Disposable;
  readonly machines: Disposable;
  readonly catalogue: Pick<SessionCatalogue, 'close'>;
}

/** Closes everything, each writer before the object to which it writes. */
export async function closeAll(owned: EngineParts): Promise<void> {
  owned.models.dispose();
  await owned.reports.close();
  owned.awake.dispose();
  owned.requests.dispose();
  await owned.sessions.close();
  await owned.notifier.close();
  owned.systemMetrics.dispose();
  owned.resources.dispose();
  owned.runs.dispose();
  owned.machines.dispose();
  await owned.catalogue.close();
}
