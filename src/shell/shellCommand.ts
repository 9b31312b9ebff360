/** Types of the commands of a shell text, as `parseShell` reads them. */

export interface ShellWord {
  /** The word with quotes resolved and expansions removed. */
  readonly text: string;
  /** The word with quotes resolved and expansions as written. */
  readonly spelled: string;
  /**
   * True if the word has a part that only the shell can resolve: a variable, substitution, pattern
   * or escape.
   */
  readonly isDynamic: boolean;
  /** True if a part of the word was quoted or escaped. */
  readonly isQuoted: boolean;
  /** True if the word has a variable or substitution outside quotes, of which a shell makes words. */
  readonly isSplit?: true;
  /** The parts of a word that has a variable or a substitution; else omitted. */
  readonly parts?: readonly WordPart[];
}

/**
 * - `text`: the same in every shell; quotes are resolved
 * - `pattern`: unquoted text that may be a pattern of file names
 * - `variable`: `$NAME` or `${NAME}`, or `${#NAME}`, its length; also of an argument, such as
 *   `$1` and `$@`
 * - `special`: `$?`, `$#`, `$RANDOM` and the like, which is a whole number
 * - `alternative`: `${NAME:-TEXT}`, `${NAME:+TEXT}`, and the same without the colon
 * - `derived`: `${NAME##PATTERN}`, `${NAME:0:3}`, `${NAME/A/B}` and the like, which leave out or
 *   change a part of the value
 * - `element`: `${NAME[KEY]}`, also `${!NAME[@]}`
 * - `list`: the words of `NAME=(…)`
 * - `commands`: `$(…)` or `<(…)`
 * - `arithmetic`: `$((…))`, with the expansions in it
 * - `choice`: one of several values; several words if it is a list
 * - `unknown`: a text of which nothing is known, and that is one argument
 * - `other`: another expansion
 */
export type WordPart =
  | { readonly kind: 'text' | 'pattern'; readonly text: string }
  | { readonly kind: 'variable' | 'special'; readonly name: string }
  | {
      readonly kind: 'alternative';
      readonly name: string;
      /** `:-` or `-`: the text if there is no value; `:+` or `+`: the text if there is one. */
      readonly operator: string;
      readonly text: string;
    }
  | {
      readonly kind: 'derived';
      readonly name: string;
      readonly operator: string;
      readonly pattern: string;
    }
  | {
      readonly kind: 'element';
      readonly name: string;
      /** `@` for all elements. */
      readonly index: string;
      /** True for the keys of the elements. */
      readonly isKey: boolean;
      /** Part of the list, such as `:1:2`; else empty. */
      readonly slice: string;
    }
  | { readonly kind: 'list'; readonly words: readonly ShellWord[] }
  | { readonly kind: 'arithmetic'; readonly items: readonly (string | WordPart)[] }
  | { readonly kind: 'choice'; readonly values: readonly PossibleText[]; readonly isList: boolean }
  | { readonly kind: 'commands'; readonly sign: '$(' | '<('; readonly layout: ShellLayout }
  | { readonly kind: 'unknown' | 'other' };

/**
 * What a text may be:
 * - `text`: this text
 * - `below`: the folder, or the path of a file or folder below it; with `glob`, only files whose
 *   name matches. An empty folder is the current one, which is not part of the path.
 * - `number`: a whole number
 * - `hash`: the hash of a commit
 */
export type PossibleText =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'below';
      readonly folder: string;
      readonly glob?: string;
      /** True if the path may begin with a dash. */
      readonly mayBeOption?: true;
    }
  | { readonly kind: 'number' | 'hash' };

/**
 * The commands of a text, and the operators and keywords between them, in the order of the text.
 * The head of a `for` loop is a command, and so are the redirections of a loop or a group.
 */
export type ShellLayout = readonly (string | ShellCommand)[];

export interface Redirection {
  /** Operator of the redirection, for example `>`, `2>&`, `<` or `&>>`. */
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
  /** The same text as a word, if it is the only one and the layout of the text has it. */
  readonly here?: ShellWord;
  /**
   * Commands whose output the command may read: earlier commands of its pipeline, and those in
   * substitutions of its words. Omitted if there are none.
   */
  readonly sources?: readonly ShellCommand[];
  /** Operator between the previous command and this one, such as `|` or `&&`; else `;`. */
  readonly operator: string;
}

export interface ShellText {
  /**
   * Commands in the order of the text, except that the commands in a substitution precede the
   * command that contains the substitution.
   */
  readonly commands: readonly ShellCommand[];
  /**
   * True if the text has only simple commands, each of which runs exactly once, and no expansions
   * except unquoted variables.
   */
  readonly isPlain: boolean;
  /**
   * True if the text is a list of pipelines of simple commands: no groups, loops, functions,
   * substitutions or background commands.
   */
  readonly isFlat: boolean;
  /**
   * Omitted if the text has more than lists, pipelines, groups, `if`, `case`, `for` and `while`.
   */
  readonly layout?: ShellLayout;
  /** True if the text starts a command in the background. */
  readonly hasBackground: boolean;
}

/** Returns the files that the command writes to. */
export const writtenBy = ({ redirections }: ShellCommand): readonly ShellWord[] =>
  redirections.filter(({ sign }) => sign.includes('>')).map(({ target }) => target);
