/** Which sessions continue in the background: as chosen for the session, else as for its folder. */
import type { SessionId } from '../../base/ids.ts';
import type { FolderChoice } from '../../project/folderChoices.ts';

/** A session, as far as it is decided here. */
interface KeptSession {
  readonly id: SessionId;
  readonly state: { readonly workFolder: string };
}

/** The choices for sessions. Not stored beyond this window. */
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

/** Returns the field of a choice. `isTicked`: omitted where it could not be ticked, so it stays. */
export const keepField = (
  isTicked: boolean | undefined,
  before: FolderChoice | undefined,
): Pick<FolderChoice, 'keepRunning'> =>
  (isTicked ?? before?.keepRunning) === true ? { keepRunning: true } : {};
