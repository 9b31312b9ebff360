/** Types of the commands of a shell text, as `parseShell` reads them. */

export interface ShellWord {
  /** Quotes resolved, expansions removed. */
  readonly text: string;
  /** Quotes resolved, expansions as written. */
  readonly spelled: string;
  /** True for a variable, a substitution, a pattern or an escape that only the shell resolves. */
  readonly isDynamic: boolean;
  /** True when some of the word was quoted or escaped. */
  readonly isQuoted: boolean;
}

export interface Redirection {
  /** For example `>`, `2>&`, `<` or `&>>`. */
  readonly sign: string;
  readonly target: ShellWord;
}

/** A simple command: one that the shell starts directly. */
export interface ShellCommand {
  /** `NAME=value` words before the command. */
  readonly assignments: readonly ShellWord[];
  /** The program and its arguments; empty for assignments or redirections only. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly Redirection[];
  /** Text passed as standard input. */
  readonly input: string;
}

export interface ShellText {
  /** In order; commands in substitutions precede the command that contains them. */
  readonly commands: readonly ShellCommand[];
  /**
   * True for simple commands only: the shell expands nothing but unquoted variables, and repeats
   * and skips nothing.
   */
  readonly isPlain: boolean;
}

/** Returns the files that the command writes to. */
export const writtenBy = ({ redirections }: ShellCommand): readonly ShellWord[] =>
  redirections.filter(({ sign }) => sign.includes('>')).map(({ target }) => target);
