/** Checks the notification settings of the user by the same rules as those of a project. */
import type { NotificationSettings } from '../notify/settings.ts';
import { checkProject } from './checkProject.ts';

export interface CheckedNotifications {
  /**
   * The settings to use. If they are invalid, they are empty, so that only the window of VS Code is
   * notified.
   */
  readonly settings: NotificationSettings;
  /** All problems in one line; omitted if there are none. */
  readonly problem?: string;
}

export function checkNotifications(written: unknown): CheckedNotifications {
  const { project, problems, warnings } = checkProject({ notifications: written ?? {} });
  const unknown = warnings.filter(({ message }) => message.startsWith('is not known'));
  const wrong = [...problems, ...unknown].map(({ path, message }) =>
    `${path.slice(1).map(String).join('.')} ${message}`.trim(),
  );
  return {
    settings: project?.notifications ?? {},
    ...(wrong.length > 0 && { problem: wrong.join('; ') }),
  };
}
