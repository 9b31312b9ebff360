/** Edits of files that a session made, as front ends see them. */

/** A file of this computer that a session changed. */
export interface FileEdit {
  /** Absolute path. */
  readonly path: string;
  /**
   * - `created`, `changed`, `removed`: what the session did to the file, which is as it left it
   * - `conflict`: the user or another program changed the file since, so it is not undone
   * - `unkept`: the earlier content is not stored, so the edit cannot be undone
   */
  readonly state: 'created' | 'changed' | 'removed' | 'conflict' | 'unkept';
  /** `command`: the file changed while a command ran, which the user or a run may have done. */
  readonly by: 'tool' | 'command';
  /** File with the content before the session's edits; omitted if there was no file. */
  readonly beforeFile?: string;
  /** File with the content that the session left; omitted if it removed the file. */
  readonly afterFile?: string;
}

/** Result of undoing edits. Each file is in one of the lists. Absolute paths. */
export interface UndoneEdits {
  readonly restored: readonly string[];
  /** Files that changed since. Nothing of them was overwritten. */
  readonly conflicts: readonly FileEdit[];
  /** Files whose content before is not stored, or that could not be written, with the reason. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
}
