/** Checks the notification settings of the user by the same rules as those of a project. */
import type { UserNotifications } from '../notify/routes.ts';
import { checkProject } from './checkProject.ts';

export interface CheckedNotifications {
  /** Empty if the settings cannot be used: only the window is notified then. */
  readonly settings: UserNotifications;
  /** All problems in one line; `undefined` if there are none. */
  readonly problem?: string;
}

export function checkNotifications(
  written: unknown,
  allowsProjectCommands = false,
): CheckedNotifications {
  const { project, problems, warnings } = checkProject({ notifications: written ?? {} });
  const unknown = warnings.filter(({ message }) => message.startsWith('is not known'));
  const wrong = [...problems, ...unknown].map(({ path, message }) =>
    `${path.slice(1).map(String).join('.')} ${message}`.trim(),
  );
  return {
    settings: { ...project?.notifications, allowsProjectCommands },
    ...(wrong.length > 0 && { problem: wrong.join('; ') }),
  };
}
