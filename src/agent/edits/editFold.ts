/** Folds the events of a session into the edits of files that can be undone. */
import type { JournalEvent } from '../journal/events.ts';
import { isSameVersion, type ChangedFile, type FileVersion } from '../journal/fileEvents.ts';

/** The change of one file of this computer by a session. */
export interface EditRecord {
  /** Absolute path. */
  readonly path: string;
  /** The version before the session's first edit of the file; undoing restores this version. */
  readonly before: FileVersion;
  /** When the call with the first edit began. */
  readonly sinceMs: number;
  /** True if an earlier edit of the session was changed by others, or undone. */
  readonly isLater: boolean;
  /** The version that the session wrote last. Omitted if a call was interrupted while it wrote. */
  readonly after?: FileVersion;
  /**
   * `command`: the file changed while a command of the session ran. The user or a run may also have
   * changed it.
   */
  readonly by: 'tool' | 'command';
}

/** Returns the edits of a session by path, in the order of the first edit. */
export function foldEdits(events: readonly JournalEvent[]): ReadonlyMap<string, EditRecord> {
  const fold = new EditFold();
  for (const event of events) fold.apply(event);
  return fold.edits();
}

class EditFold {
  readonly #edits = new Map<string, EditRecord>();
  /** Files that calls without a result may have changed. */
  readonly #open = new Map<string, { readonly callId: string; readonly before: FileVersion }>();
  /** Id of a call → when it began. */
  readonly #begun = new Map<string, number>();
  readonly #seen = new Set<string>();

  apply(event: JournalEvent): void {
    switch (event.type) {
      case 'tool.started':
        this.#begun.set(event.callId, event.at);
        return;
      case 'files.kept':
        if (event.by === 'tool')
          for (const { path, before } of event.files)
            this.#open.set(path, { callId: event.callId, before });
        return;
      case 'files.changed':
        for (const file of event.files) this.#change(file, event);
        return;
      case 'files.restored':
        for (const { path } of event.files) {
          this.#edits.delete(path);
          this.#open.delete(path);
        }
        return;
      case 'tool.finished':
        for (const [path, { callId }] of this.#open)
          if (callId === event.callId) this.#open.delete(path);
        return;
      default:
    }
  }

  edits(): ReadonlyMap<string, EditRecord> {
    for (const [path, { before, callId }] of this.#open)
      // The call has no result, so what it wrote is unknown. An earlier edit stays as recorded if
      // the call began with the version that this edit left; otherwise a new edit without `after`
      // is recorded.
      if (this.#ongoing(path, before) === undefined)
        this.#edits.set(path, { path, before, ...this.#beginning(path, callId), by: 'tool' });
    return this.#edits;
  }

  #beginning(path: string, callId: string): Pick<EditRecord, 'sinceMs' | 'isLater'> {
    return { sinceMs: this.#begun.get(callId) ?? Number.NaN, isLater: this.#seen.has(path) };
  }

  #change({ path, before, after }: ChangedFile, { by, callId }: Cause): void {
    // A call that undoes edits also records changes. These are not edits.
    if (by === 'tool' && this.#open.get(path)?.callId !== callId) return;
    const known = this.#ongoing(path, before);
    this.#edits.set(path, {
      path,
      before: known?.before ?? before,
      sinceMs: known?.sinceMs ?? this.#beginning(path, callId).sinceMs,
      isLater: known?.isLater ?? this.#seen.has(path),
      after,
      by: by === 'command' ? by : (known?.by ?? by),
    });
    this.#seen.add(path);
  }

  /**
   * Returns the recorded edit that a new change of the file continues; `undefined` if the file was
   * changed in between: undoing must then restore that version.
   */
  #ongoing(path: string, before: FileVersion): EditRecord | undefined {
    const known = this.#edits.get(path);
    return known?.after !== undefined && isSameVersion(known.after, before) ? known : undefined;
  }
}

interface Cause {
  readonly callId: string;
  readonly by: 'tool' | 'command';
}
