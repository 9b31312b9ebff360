/** Events about files that calls change, and the versions of files that they name. */

/** A regular file. Its content is stored as `<hash>.bin` in the session's folder `edits`. */
export interface StoredVersion {
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** Permission bits. */
  readonly mode: number;
}

/**
 * - `missing`: the file did not exist
 * - `unkept`: the content could not be stored, such as that of a link or a very large file
 */
export type FileVersion = StoredVersion | 'missing' | 'unkept';

/** A file that an edit changed. `path` is absolute. */
export interface ChangedFile {
  readonly path: string;
  readonly before: FileVersion;
  readonly after: FileVersion;
}

export type FileEvent =
  /**
   * The content of files that a call may change was stored. Written before the call is executed.
   * Links in the folders of the paths are resolved.
   */
  | {
      readonly type: 'files.kept';
      readonly callId: string;
      /** `command`: any tracked file may change. */
      readonly by: 'tool' | 'command';
      readonly files: readonly Omit<ChangedFile, 'after'>[];
    }
  /**
   * Files that a call changed, or that changed while its command ran. Not recorded if no file
   * changed.
   */
  | {
      readonly type: 'files.changed';
      readonly callId: string;
      readonly by: 'tool' | 'command';
      readonly files: readonly ChangedFile[];
    }
  /** Edits of files were undone. `before` is the version that was replaced. */
  | {
      readonly type: 'files.restored';
      readonly by: 'agent' | 'person';
      readonly files: readonly ChangedFile[];
    };

/** Returns true if both versions are known to have equal content and permissions. */
export const isSameVersion = (a: FileVersion, b: FileVersion): boolean =>
  typeof a === 'string' || typeof b === 'string'
    ? a === b && a !== 'unkept'
    : a.hash === b.hash && a.mode === b.mode;
