/**
 * Resource that a tool call needs beyond Helios's own data. The gate decides on it, and the journal records
 * it.
 */
export type Access =
  | { readonly kind: 'command'; readonly machineId: string; readonly command: string }
  /** Absolute where the folders of the machine are known, otherwise as in the call. */
  | { readonly kind: 'read' | 'write'; readonly machineId: string; readonly path: string }
  | { readonly kind: 'host'; readonly host: string };

const maxCommandChars = 2_000;

/** Returns the access for the journal, with a long command cut: the call itself holds all of it. */
export const recordedAccess = (access: Access): Access =>
  access.kind === 'command' && access.command.length > maxCommandChars
    ? { ...access, command: `${access.command.slice(0, maxCommandChars)}…` }
    : access;
