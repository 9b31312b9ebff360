/** Texts about the start and the resumption of a session. */
import { downTimeText, runsMeanwhile } from './downTime.ts';
import type { JournalEvent } from './events.ts';
import { leftOutText } from './leftOutText.ts';
import { budgetText } from './limitText.ts';
import type { SessionState } from './state.ts';

type Resumed = Extract<JournalEvent, { type: 'session.resumed' }>;

/** Returns how long Helios was gone, and the new limits; empty if there is nothing to say. */
export const resumedDetail = (event: Resumed, state: SessionState): string =>
  [
    downTimeText(event, runsMeanwhile(event, state)),
    event.budget === undefined ? undefined : budgetText(event.budget),
  ]
    .filter((text) => text !== undefined)
    .join(' ');

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
