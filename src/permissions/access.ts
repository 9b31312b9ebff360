/**
 * A resource that a tool call uses, apart from Helios's own data. The gate decides whether the call
 * may use the resource, and the journal records the access.
 */
export type Access =
  | {
      readonly kind: 'command';
      readonly machineId: string;
      readonly command: string;
      /** Sentence about the program, for the approval. */
      readonly note?: string;
    }
  /**
   * `path` is absolute if the folders of the machine are known, otherwise the path as given in the
   * call.
   */
  | { readonly kind: 'read'; readonly machineId: string; readonly path: string }
  /**
   * As for `read`, with links resolved. `linkPath` is the path as given in the call, present if it
   * is in the working folder and leads out of that folder through a link.
   */
  | {
      readonly kind: 'write';
      readonly machineId: string;
      readonly path: string;
      readonly linkPath?: string;
    }
  | { readonly kind: 'host'; readonly host: string };

/**
 * Returns a sentence for each write that leaves the working folder through a link; empty if there is
 * none.
 */
export const linkNote = (accesses: readonly Access[]): string =>
  accesses
    .flatMap((access) =>
      access.kind === 'write' && access.linkPath !== undefined
        ? [`${access.linkPath} leads through a link out of the working folder, to ${access.path}.`]
        : [],
    )
    .join(' ');

/** Returns the notes of all commands; empty if there are none. */
export const commandNotes = (accesses: readonly Access[]): string =>
  accesses.flatMap((access) => (access.kind === 'command' ? (access.note ?? []) : [])).join(' ');

const maxCommandChars = 2_000;

/**
 * Returns the access for the journal, with a long command truncated. The journaled tool call has
 * the complete command.
 */
export const recordedAccess = (access: Access): Access =>
  access.kind === 'command' && access.command.length > maxCommandChars
    ? { ...access, command: `${access.command.slice(0, maxCommandChars)}…` }
    : access;
