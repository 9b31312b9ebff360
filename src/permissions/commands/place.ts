/** The surroundings in which a command line is judged. */
import type { PathRules } from '../pathRules.ts';

export interface CommandPlace {
  /** Real path of the folder in which the line starts, and which the agent may read. */
  readonly workFolder: string;
  /** Real path of the home folder of the user who runs the line. */
  readonly home: string;
  /** Real paths of further folders that the agent may read, such as those of its runs. */
  readonly readFolders?: readonly string[];
  /** The rules on paths, which know the home folder of Helios. */
  readonly rules: PathRules;
  /**
   * Resolves the links of an absolute path; parts that do not exist stay as they are. Returns
   * `undefined` if the path cannot be resolved.
   */
  realPath(path: string): string | undefined;
  /** Returns whether there is a file or folder; `undefined` if that is not known. */
  exists(path: string): boolean | undefined;
  /**
   * Returns the absolute paths that match a pattern of the shell; `undefined` if they are too many
   * or cannot be listed.
   */
  matches(pattern: string): readonly string[] | undefined;
}
