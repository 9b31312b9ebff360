/** Texts about the start and the resumption of a session. */
import type { SessionEvent } from './events.ts';
import { leftOutText } from './leftOutText.ts';

type Resumed = Extract<SessionEvent, { type: 'session.resumed' }>;

/**
 * Returns notes that the user must read at the start: on permissions, and on ignored parts of a
 * project file.
 */
export const factsOf = ({
  leftOut,
  permissions,
}: Pick<Resumed, 'leftOut' | 'permissions'>): readonly string[] => [
  ...(permissions?.note === undefined ? [] : [permissions.note]),
  ...(leftOut === undefined ? [] : [leftOutText(leftOut)]),
];

/** Returns the permission mode and the confinement of a resumed session. */
export const forceTexts = ({
  permissions,
  confined,
}: Pick<Resumed, 'permissions' | 'confined'>): readonly string[] => [
  ...(permissions === undefined ? [] : [`mode ${permissions.mode}`]),
  ...(confined === undefined ? [] : [`confinement: ${confined}`]),
];
