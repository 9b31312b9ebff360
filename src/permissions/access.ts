/**
 * What a tool call needs beyond Helios's own data. The gate decides on it, and the journal keeps
 * it.
 */
export type Access =
  | { readonly kind: 'command'; readonly machineId: string; readonly command: string }
  /** Absolute where the folders of the machine are known, else as the call names it. */
  | { readonly kind: 'read' | 'write'; readonly machineId: string; readonly path: string }
  | { readonly kind: 'host'; readonly host: string };

const maxCommandChars = 2_000;

/** For the journal: a long command is cut; the call itself holds the whole. */
export const recordedAccess = (access: Access): Access =>
  access.kind === 'command' && access.command.length > maxCommandChars
    ? { ...access, command: `${access.command.slice(0, maxCommandChars)}…` }
    : access;
