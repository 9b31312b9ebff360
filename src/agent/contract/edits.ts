/** Edits of files that a session made, as front ends see them. */

/** A file of this computer that a session changed. */
export interface FileEdit {
  /** Absolute path. */
  readonly path: string;
  /**
   * - `created`, `changed`, `removed`: what the session did to the file. The file has not changed
   * since
   * - `conflict`: the user or another program changed the file since, so the edit cannot be undone
   * - `unkept`: the earlier content is not stored, so the edit cannot be undone
   */
  readonly state: 'created' | 'changed' | 'removed' | 'conflict' | 'unkept';
  /**
   * `command`: the file changed while a command of the session ran. The user or a run may also have
   * changed it.
   */
  readonly by: 'tool' | 'command';
  /** Branch of experiments in whose worktree the file is. Such an edit is undone only by name. */
  readonly branch?: string;
  /** File with the content before the session's edits; omitted if there was no file. */
  readonly beforeFile?: string;
  /** File with the content that the session left; omitted if it removed the file. */
  readonly afterFile?: string;
}

/** The version of a file that undoing restored. */
export interface RestoredVersion {
  readonly path: string;
  /** False if there was no such file: it was removed. */
  readonly isFile: boolean;
  /** When the session began to edit the file. NaN if this is unknown. */
  readonly sinceMs: number;
  /** True if the session edited the file before, and that edit was changed by others or undone. */
  readonly isLater: boolean;
}

/** Result of undoing edits. Each file is in exactly one of the lists. Paths are absolute. */
export interface UndoneEdits {
  readonly restored: readonly string[];
  /** The content that the files of `restored` have now. */
  readonly versions: readonly RestoredVersion[];
  /** Files that were changed after the edit. They stay unchanged. */
  readonly conflicts: readonly FileEdit[];
  /** Files whose earlier content is not stored or that could not be written, with the reason. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}
