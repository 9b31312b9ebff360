/** Texts about the permission mode. */
import type { SessionState } from '../../agent/journal/state.ts';

type PermissionsInForce = NonNullable<SessionState['permissions']>;

/** Effect of each mode in at most 80 characters, because a quick pick truncates longer text. */
export const modeEffects: Readonly<Record<PermissionsInForce['mode'], string>> = {
  ask: 'Helios waits for your approval before each command and change.',
  mandate: 'Calls within this folder and its runs need no approval. Others are refused.',
  allow: 'Commands and changes run without asking, on all your machines.',
};

/**
 * Returns the first line of a session: its permission mode and, if the user chose another mode, why
 * that mode does not apply.
 */
export const permissionLine = ({ mode, note }: PermissionsInForce): string =>
  note ?? `Permission mode ${mode}: ${modeEffects[mode]}`;
