/** The notifications of the user's own settings, judged as those of a project are. */
import type { UserNotifications } from '../notify/routes.ts';
import { checkProject } from './checkProject.ts';

export interface CheckedNotifications {
  /** Empty where the settings cannot be used: then the window alone is told. */
  readonly settings: UserNotifications;
  /** What is wrong with them, in one line; undefined when nothing is. */
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
