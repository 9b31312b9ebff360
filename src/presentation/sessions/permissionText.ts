/** Texts about the permission mode. */
import type { SessionState } from '../../agent/journal/state.ts';

type PermissionsInForce = NonNullable<SessionState['permissions']>;

/** What each mode does, in at most 80 characters: a quick pick cuts off the rest. */
export const modeEffects: Readonly<Record<PermissionsInForce['mode'], string>> = {
  ask: 'Helios waits for your approval before each command and change.',
  mandate:
    'Calls that stay within this folder and its runs need no approval. All other calls are refused.',
  allow: 'Commands and changes run without asking, on all your machines.',
};

/** Returns the first line of a session: its mode, and why it has another than the user chose. */
export const permissionLine = ({ mode, note }: PermissionsInForce): string =>
  note ?? `Permission mode ${mode}: ${modeEffects[mode]}`;
