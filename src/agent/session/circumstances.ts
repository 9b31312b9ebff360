/**
 * Determines the permissions of a session, and the fields that its journal records at each start
 * and resumption.
 */
import type { Gate } from '../../permissions/gate.ts';
import { modeOf } from '../../project/folderChoices.ts';
import type { ProjectFile } from '../../project/projects.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { ProfileId, SessionEvent } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';
import { profileOf } from '../profiles/profiles.ts';
import type { Lease } from '../../storage/lease.ts';
import { permissionsInForce } from './projectSettings.ts';
import type { SharedDeps } from './sessionDeps.ts';

type Deps = Pick<SharedDeps, 'folders' | 'mandate' | 'ports' | 'settings'>;

/** The parts of a session that determine its permissions. */
export interface PermissionPlace {
  readonly workFolder: string;
  readonly project?: ProjectFile | undefined;
  /** Journal of the session. Omitted before the session has one. */
  readonly log?: Pick<SessionLog, 'state'>;
}

/** Returns the permission mode that applies to a session now. */
export function sessionPermissions(deps: Deps, place: PermissionPlace): PermissionsInForce {
  const { workFolder, project } = place;
  const chosen = chosenMode(deps, place);
  const { keepsMode } = deps.settings();
  const canAsk = deps.ports.approve !== undefined || keepsMode === 'recorded';
  const inForce = permissionsInForce(chosen.mode, { canAsk, project });
  const permissions = inForce.mode === chosen.mode ? chosen : inForce;
  const problem =
    permissions.mode === 'mandate' ? deps.mandate(workFolder, project).problem : undefined;
  return problem === undefined ? permissions : { ...permissions, note: problem };
}

/**
 * Returns the mode that the user chose: for this call, for the session when it was started, for the
 * folder, or in the settings. If the choices for folders cannot be read, the mode is `ask`.
 */
function chosenMode(
  { folders, settings }: Deps,
  { workFolder, log }: PermissionPlace,
): PermissionsInForce {
  const { permissionMode, isModeGiven = false, keepsMode } = settings();
  if (isModeGiven) return { mode: permissionMode, isGiven: true };
  const kept = log?.state.permissions;
  if (keepsMode !== undefined && kept?.isGiven === true) return { mode: kept.mode, isGiven: true };
  if (keepsMode === 'recorded' && kept !== undefined) return kept;
  const reading = folders.read(workFolder);
  const mode = modeOf(reading, permissionMode);
  if (reading.problem !== undefined)
    return { mode, note: `Permission mode ask: ${reading.problem}` };
  return mode === permissionMode
    ? { mode }
    : { mode, note: `Permission mode ${mode}, as you chose for this folder.` };
}

/** Fields of the events that record the start and each resumption of a session. */
export type Circumstances = Pick<
  Extract<SessionEvent, { type: 'session.resumed' }>,
  'leftOut' | 'permissions'
>;

/**
 * Returns the field that records when the previous process was last seen, if it died: at its last
 * heartbeat or its last record, whichever is later.
 */
export const lastSeen = (
  { lastSeenMs }: Pick<Lease, 'lastSeenMs'>,
  { lastEventMs }: Pick<SessionState, 'lastEventMs'>,
): { readonly lastSeenAt?: number } =>
  lastSeenMs === undefined ? {} : { lastSeenAt: Math.max(lastSeenMs, lastEventMs) };

/** Returns these fields. `permissions` is left out for a profile with fixed permissions. */
export const circumstances = (
  deps: Deps,
  profile: ProfileId,
  place: PermissionPlace,
): Circumstances => ({
  ...(place.project?.leftOut && { leftOut: place.project.leftOut }),
  ...(profileOf(profile).permissions === undefined && {
    permissions: sessionPermissions(deps, place),
  }),
});

/**
 * Returns a gate that records the permission mode before its first decision in a mode that differs
 * from the mode in the journal.
 */
export const recordingModes = (
  gate: Gate,
  log: Pick<SessionLog, 'record' | 'state'>,
  permissions: () => PermissionsInForce | undefined,
): Gate => ({
  async decide(call, signal) {
    const now = permissions();
    if (now !== undefined && now.mode !== log.state.permissions?.mode)
      await log.record({ type: 'session.permissions_changed', permissions: now });
    return gate.decide(call, signal);
  },
  allows: (call) => gate.allows(call),
});
