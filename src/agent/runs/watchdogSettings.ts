/**
 * Watchdog and plateau policies from the settings of the user and the project, read once when a
 * session is started or resumed.
 */
import { UserFacing } from '../../base/errors.ts';
import { checkProject } from '../../project/checkProject.ts';
import type { ProjectFile } from '../../project/projects.ts';
import type { Project } from '../../project/projectSchema.ts';
import { plateauPolicyOf, type PlateauPolicy } from '../../watchdogs/plateauSettings.ts';
import { policyOf, type WatchdogPolicy } from '../../watchdogs/settings.ts';
import type { EngineSettings } from '../contract/settings.ts';

type WatchSettings = Pick<EngineSettings, 'watchdogs' | 'plateau'>;

/**
 * Returns the watchdog policy. The project's settings take precedence over the user's settings.
 * Throws `UserFacing` for invalid settings.
 */
export const watchdogPolicy = (
  settings: WatchSettings,
  project: ProjectFile | undefined,
): WatchdogPolicy => policyOf(understood(settings).watchdogs, project?.watchdogs);

/**
 * Returns the plateau policy. The project's settings take precedence over the user's settings.
 * Throws `UserFacing` for invalid settings.
 */
export const plateauPolicy = (
  settings: WatchSettings,
  project: ProjectFile | undefined,
): PlateauPolicy => plateauPolicyOf(understood(settings).plateau, project?.plateau);

/** Validates the settings with the schema of the project file, which rejects unknown keys. */
function understood({
  watchdogs = {},
  plateau = {},
}: WatchSettings): Pick<Project, 'watchdogs' | 'plateau'> {
  const { project = {}, problems, warnings } = checkProject({ watchdogs, plateau });
  const wrong = [...problems, ...warnings].map(
    ({ path, message }) => `${path.map(String).join('.')} ${message}`,
  );
  if (wrong.length === 0) return project;
  throw new UserFacing(
    `The watchdog or plateau settings are invalid: ${wrong.join('; ')}`,
    'Fix them, or remove them to use the defaults.',
  );
}
