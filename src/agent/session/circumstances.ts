/** The permissions of a session, and what else its journal says about each of its starts. */
import type { ProjectFile } from '../../project/projects.ts';
import type { PermissionsInForce } from '../../permissions/mode.ts';
import type { ProfileId, SessionEvent } from '../journal/events.ts';
import { profileOf } from '../profiles/profiles.ts';
import { permissionsInForce } from './projectSettings.ts';
import type { SharedDeps } from './sessionDeps.ts';

/** Returns the permission mode that applies to a session now. */
export const sessionPermissions = (
  { ports, settings }: Pick<SharedDeps, 'ports' | 'settings'>,
  project: ProjectFile | undefined,
): PermissionsInForce =>
  permissionsInForce(settings().permissionMode, { canAsk: ports.approve !== undefined, project });

/** What the journal says about the start and each resumption of a session. */
export type Circumstances = Pick<
  Extract<SessionEvent, { type: 'session.resumed' }>,
  'leftOut' | 'permissions'
>;

/** Returns the circumstances. The profile may decide the permissions, which are then left out. */
export const circumstances = (
  shared: Pick<SharedDeps, 'ports' | 'settings'>,
  profile: ProfileId,
  project: ProjectFile | undefined,
): Circumstances => ({
  ...(project?.leftOut && { leftOut: project.leftOut }),
  ...(profileOf(profile).permissions === undefined && {
    permissions: sessionPermissions(shared, project),
  }),
});
