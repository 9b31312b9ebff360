import type { Verdict } from './commands/verdicts/verdict.ts';

/**
 * A resource that a tool call uses, apart from Helios's own data. The gate decides whether the call
 * may use the resource, and the journal records the access.
 */
export type Access =
  | {
      readonly kind: 'command';
      readonly machineId: string;
      readonly command: string;
      /** Sentence about the program, shown to the user who is asked to approve the call. */
      readonly note?: string;
      /**
       * Texts that are judged instead of the command, such as the commands of all points of a
       * sweep.
       */
      readonly judged?: readonly string[];
      /** Folder in which the command starts, as given in the call. Default: the working folder. */
      readonly folder?: string;
      /** True if the tool quotes each argument of a command that only reads (`asArgumentLists`). */
      readonly asArguments?: true;
      /** Verdict on the command; set by the gate. */
      readonly verdict?: Verdict;
    }
  /**
   * `path` is absolute if the folders of the machine are known, otherwise the path as given in the
   * call. Links in it are resolved for writes, and for reads whose content leaves the machine.
   * `linkPath` is the path as given in the call, present if it is in the working folder and leads
   * out of that folder through a link. `realPath` is the path with links resolved, present if
   * `path` is as given in the call and differs. `givenPath` is the path as given in the call,
   * present for a write to another path outside the working folder. `change` is the change of the
   * file as lines with `-` and `+`, present if the user is asked about it each time.
   */
  | {
      readonly kind: 'read' | 'write';
      readonly machineId: string;
      readonly path: string;
      readonly linkPath?: string;
      readonly realPath?: string;
      readonly givenPath?: string;
      readonly change?: string;
    }
  | {
      readonly kind: 'host';
      readonly host: string;
      /** The URL that the call names. */
      readonly url?: string;
      /** Set by the gate: the model composed the URL after it had read text of others. */
      readonly isComposed?: true;
    };

/** A call that was refused because nobody could be asked. */
export interface RefusedCall {
  readonly title: string;
  /** Hash of what the call does: equal for two calls that do the same. */
  readonly signature: string;
}

export type CommandAccess = Extract<Access, { readonly kind: 'command' }>;
export type PathAccess = Extract<Access, { readonly kind: 'read' | 'write' }>;

/**
 * Returns a sentence for each path that leaves the working folder through a link; empty if there is
 * none.
 */
export const linkNote = (accesses: readonly Access[]): string =>
  accesses
    .flatMap((access) =>
      'linkPath' in access && access.linkPath !== undefined
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
export function journalAccess(access: Access): Access {
  if (access.kind === 'write') {
    const { change: _change, ...writeAccess } = access;
    return writeAccess;
  }
  if (access.kind !== 'command') return access;
  const { asArguments: _asArguments, judged: _judged, verdict, command, ...rest } = access;
  const isLong = command.length > maxCommandChars;
  return {
    ...rest,
    command: isLong ? `${command.slice(0, maxCommandChars)}…` : command,
    ...(verdict && { verdict: withoutNeeds(verdict) }),
  };
}

const withoutNeeds = ({ needs: _needs, ...verdict }: Verdict): Verdict => verdict;
