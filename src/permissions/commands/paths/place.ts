/** The circumstances in which a command line is judged: folders, rules and consent. */
import type { ShellCommand, ShellText } from '../../../shell/shellCommand.ts';
import type { PathRules } from '../../pathRules.ts';
import type { Verdict } from '../verdicts/verdict.ts';

export interface CommandPlace {
  /** Real path of the folder in which the line starts. The agent may read it. */
  readonly workFolder: string;
  /** Real path of the home folder of the user who runs the line. */
  readonly home: string;
  /** Real paths of further folders that the agent may read, such as those of its runs. */
  readonly readFolders?: readonly string[];
  /** The rules on paths, which know the home folder of Helios. */
  readonly rules: PathRules;
  /**
   * Resolves the links of an absolute path; parts that do not exist stay unchanged. Returns
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
  /**
   * Returns the absolute paths of files below a folder that may be private keys or hold secrets,
   * judged by name or content; `undefined` if the files are not known or too many.
   */
  keyFiles(folder: string): readonly string[] | undefined;
  /**
   * Returns the absolute paths of links below a folder, and of files and folders whose names
   * contain blanks, quotes or backslashes; `undefined` if they are not known or too many.
   */
  oddFiles(folder: string): readonly string[] | undefined;
  /** Decides on commands that need consent. If omitted, no command gets consent. */
  readonly consent?: Consent;
}

/** The circumstances in which a single command of a line is judged. */
export interface Spot {
  readonly place: CommandPlace;
  /** Folders in which the command may run; empty if they are unknown. */
  readonly folders: readonly string[];
  /** The command as written, to be shown in verdicts. */
  readonly part: string;
  /** True if the program prints nothing of the content of its files. */
  readonly isSilent?: boolean;
}

/** A command that needs consent, and the circumstances in which it runs. */
export interface ConsentStep {
  readonly command: ShellCommand;
  readonly spot: Spot;
  /** True if the program only reads, so that only its redirections and variables need consent. */
  readonly isReader: boolean;
  /** Returns the verdict on a script that the command gives to a shell. */
  judge(text: string): Verdict;
}

/**
 * Consents to the commands of a line, in their order. Returns why a command gets no consent, as the
 * rest of a sentence; `undefined` if it does.
 */
export type Consent = (shell: ShellText) => (step: ConsentStep) => string | undefined;
