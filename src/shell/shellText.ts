/** What a shell text consists of, as `parseShell` reads it. */

export interface ShellWord {
  /** Quotes resolved; what the shell would put in is left out. */
  readonly text: string;
  /** Quotes resolved; what the shell would put in stands as it is written. */
  readonly spelled: string;
  /** It holds a variable, a substitution, a pattern or an escape that only the shell resolves. */
  readonly isDynamic: boolean;
  /** Some of it stood in quotes or behind a backslash. */
  readonly isQuoted: boolean;
}

export interface Redirection {
  /** `>`, `2>&`, `<`, `&>>` … */
  readonly sign: string;
  readonly target: ShellWord;
}

/** A simple command: what a shell starts at once. */
export interface ShellCommand {
  /** `NAME=value` before the command. */
  readonly assignments: readonly ShellWord[];
  /** The program and its arguments; empty where there are only assignments or redirections. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly Redirection[];
  /** Text that is given to it as its input. */
  readonly input: string;
}

export interface ShellText {
  /** In order; those in substitutions stand before the command that they are in. */
  readonly commands: readonly ShellCommand[];
  /**
   * Simple commands alone: the shell puts in nothing but variables outside of quotes, and repeats
   * and skips nothing.
   */
  readonly isPlain: boolean;
}

/** Files that it writes to. */
export const writtenBy = ({ redirections }: ShellCommand): readonly ShellWord[] =>
  redirections.filter(({ sign }) => sign.includes('>')).map(({ target }) => target);
