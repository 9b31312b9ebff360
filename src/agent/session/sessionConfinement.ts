import type { SessionId } from '../../base/ids.ts';
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import { confinedFolders } from '../../tools/parameters/mandateCoverage.ts';
import { Confining } from '../runs/confining.ts';
import type { SessionEvent } from '../journal/events.ts';
import { uploadRoots } from '../experiments/launchedCode.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { sessionPermissions, type PermissionPlace } from './circumstances.ts';
import type { SharedDeps } from './sessionDeps.ts';

interface SessionPlace extends PermissionPlace {
  readonly sessionId: SessionId;
  readonly log?: Pick<SessionLog, 'state' | 'events'>;
}

/** Creates the service that decides whether commands and runs of a session are confined. */
export const createConfining = (shared: SharedDeps, place: SessionPlace): Confining =>
  new Confining({
    sessionId: place.sessionId,
    probes: shared.confinements,
    use: () => shared.settings().confinement ?? 'auto',
    mode: () => sessionPermissions(shared, place).mode,
    uploaded: (machine) => (place.log ? uploadRoots(place.log.events, machine) : []),
    mandated(machine) {
      const { mandate, file } = shared.mandate(place.workFolder, place.project);
      return {
        folders: confinedFolders(mandate, machine),
        hosts: mandate.hosts,
        listedIn: `hosts ${file === undefined ? 'of a mandate (helios mandate --init)' : `in ${file}`}`,
      };
    },
  });

/**
 * Resolves with the program that confines commands on this computer, as a field of the first event.
 */
export async function confinedAtStart(
  shared: SharedDeps,
  place: SessionPlace,
): Promise<Pick<Extract<SessionEvent, { type: 'session.started' }>, 'confined'>> {
  const machine = shared.machinesIn(place.workFolder).get('local');
  const state = await createConfining(shared, place).state(machine);
  return state.isWanted ? { confined: withoutUntrustedMarks(state.text) } : {};
}
