/** Tracks the variables of a line whose values are known before it runs. */
import type { ShellWord } from '../../shell/shellCommand.ts';

/** Maximum number of possible values of a word. */
const most = 16;

/** Matches expansions to a name or a number, which cannot change the folder of a path. */
const harmless =
  /\$\(date(?: -u)? ["']?\+[^)/]*\)|\$\(\([^()]*\)\)|\$\((?:nproc|whoami|hostname|seq [\d ]+)\)|\$(?:RANDOM|SECONDS|USER|HOSTNAME|SLURM_\w+|\$)(?!\w)|\$\{(?:RANDOM|USER|HOSTNAME|SLURM_\w+)\}/g;
const name = /\$(?:(\w+)|\{(\w+)\})/;
const braces = /\{([^{}$]*,[^{}$]*)\}/;

export class Variables {
  /**
   * Name of a variable → the values that it may have; `undefined` if one of them is known only to
   * the shell.
   */
  readonly #values = new Map<string, readonly string[] | undefined>();
  /** Names of variables that hold the id of a process that the line started. */
  readonly #processes = new Set<string>();

  /**
   * Records the assignment `NAME=value`. If the value is known only to the shell, the variable
   * becomes unknown.
   */
  assign({ text, spelled, isDynamic, isQuoted }: ShellWord): void {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/s.exec(spelled) ?? [];
    const word = { text: text.slice(key.length + 1), spelled: value, isDynamic, isQuoted };
    this.#set(key, value === '$!' ? undefined : this.resolve(word));
    if (value === '$!') this.#processes.add(key);
  }

  /** Records the variable of a loop: `for NAME in WORDS`. */
  loop([key, , ...words]: readonly ShellWord[]): void {
    const values = words.map((word) => this.resolve(word));
    const known = values.every((each) => each !== undefined);
    this.#set(key?.text ?? '', known ? values.flatMap((each) => each ?? []) : undefined);
  }

  /** Marks the value of a variable as unknown, because a program sets the variable. */
  forget(key: string): void {
    this.#set(key, undefined);
  }

  /** Returns true for a variable with the id of a process that the line started, such as `$!`. */
  isProcess = ({ spelled }: ShellWord): boolean => {
    const [whole, plain, inBraces] = name.exec(spelled) ?? [];
    return spelled === '$!' || (whole === spelled && this.#processes.has(plain ?? inBraces ?? ''));
  };

  /**
   * Returns all texts that a word may expand to; `undefined` if only the shell can know them, or if
   * it may make several words of them. Names that match a pattern may hold blanks.
   */
  resolve(word: ShellWord): readonly ShellWord[] | undefined {
    if (!word.isDynamic) return [word];
    if (this.isProcess(word)) return [{ ...word, text: 'x', isDynamic: false }];
    const spelled = word.spelled
      .replace(/^\$(?:HOME|\{HOME\})(?=[/:]|$)/, '~')
      .replace(/^\$(?:PWD|\{PWD\})(?=[/:]|$)/, '.')
      .replace(/^\$\(pwd\)/, '.')
      .replace(harmless, 'x')
      .replace(/\{\d+\.\.\d+(?:\.\.\d+)?\}/g, '1')
      .replace(/\[[^\]/]+\]/g, '?');
    const texts = this.#expand([spelled]);
    if (word.isSplit && texts?.some((text) => /[\s*?]/.test(text)) === true) return undefined;
    return texts?.map((text) => ({
      text,
      spelled: text,
      isDynamic: /[*?]/.test(text),
      isQuoted: word.isQuoted,
    }));
  }

  #set(key: string, words: readonly ShellWord[] | undefined): void {
    this.#processes.delete(key);
    const before = this.#values.has(key) ? this.#values.get(key) : [];
    const isKnown = before !== undefined && words !== undefined;
    // An earlier value stays possible, because the assignment may be in a branch that does not run.
    this.#values.set(key, isKnown ? [...before, ...words.map(({ text }) => text)] : undefined);
  }

  #expand(texts: readonly string[]): readonly string[] | undefined {
    if (texts.length > most) return undefined;
    const open = texts.find((text) => name.test(text) || braces.test(text));
    if (open === undefined)
      return texts.some((text) => /[$`\\{}]|[<>]\(/.test(text)) ? undefined : texts;
    const [variable = '', plain, inBraces] = name.exec(open) ?? [];
    const [list = '', inner = ''] = braces.exec(open) ?? [];
    const values = variable === '' ? inner.split(',') : this.#values.get(plain ?? inBraces ?? '');
    if (values === undefined) return undefined;
    const results = values.map((value) =>
      open.split(variable === '' ? list : variable).join(value),
    );
    return this.#expand([...texts.filter((text) => text !== open), ...results]);
  }
}
