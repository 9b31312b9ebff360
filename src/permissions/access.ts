/**
 * A resource that a tool call uses, apart from Helios's own data. The gate decides whether the call
 * may use the resource, and the journal records the access.
 */
export type Access =
  | { readonly kind: 'command'; readonly machineId: string; readonly command: string }
  /** `path` is absolute if the folders of the machine are known, otherwise as in the call. */
  | { readonly kind: 'read' | 'write'; readonly machineId: string; readonly path: string }
  | { readonly kind: 'host'; readonly host: string };

const maxCommandChars = 2_000;

/**
 * Returns the access for the journal, with a long command truncated. The call itself stores the
 * complete command.
 */
export const recordedAccess = (access: Access): Access =>
  access.kind === 'command' && access.command.length > maxCommandChars
    ? { ...access, command: `${access.command.slice(0, maxCommandChars)}…` }
    : access;
