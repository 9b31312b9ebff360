/**
 * Decides which sessions continue in the background: by the user's choice for the session,
 * otherwise by the choice for its folder.
 */
import type { SessionId } from '../../base/ids.ts';
import type { FolderChoice } from '../../project/folderChoices.ts';

/** The fields of a session that this decision needs. */
interface KeptSession {
  readonly id: SessionId;
  readonly state: { readonly workFolder: string };
}

/** The choices for single sessions, which are not stored and end with this window. */
export class KeptSessions {
  readonly #chosen = new Map<SessionId, boolean>();
  readonly #isKeptIn: (folder: string) => boolean;

  constructor(isKeptIn: (folder: string) => boolean) {
    this.#isKeptIn = isKeptIn;
  }

  has({ id, state }: KeptSession): boolean {
    return this.#chosen.get(id) ?? this.#isKeptIn(state.workFolder);
  }

  toggle(session: KeptSession): void {
    this.#chosen.set(session.id, !this.has(session));
  }
}

/**
 * Returns the field `keepRunning` of a choice for a folder. If `isTicked` is undefined because the
 * user could not choose, the earlier value is kept.
 */
export const keepField = (
  isTicked: boolean | undefined,
  before: FolderChoice | undefined,
): Pick<FolderChoice, 'keepRunning'> =>
  (isTicked ?? before?.keepRunning) === true ? { keepRunning: true } : {};
