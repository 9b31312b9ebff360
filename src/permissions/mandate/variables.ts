/** The variables that a line sets to texts that are known before it runs. */
import type { ShellWord } from '../../shell/shellCommand.ts';

/** Values that are tried of one word. */
const most = 16;

/** Expansions that give a name or a number, which leads out of no folder. */
const harmless =
  /\$\(date(?: -u)? ["']?\+[^)/]*\)|\$\(\([^()]*\)\)|\$\((?:nproc|whoami|hostname|seq [\d ]+)\)|\$(?:RANDOM|SECONDS|USER|HOSTNAME|SLURM_\w+|\$)(?!\w)|\$\{(?:RANDOM|USER|HOSTNAME|SLURM_\w+)\}/g;
const name = /\$(?:(\w+)|\{(\w+)\})/;
const braces = /\{([^{}$]*,[^{}$]*)\}/;

export class Variables {
  /** `undefined` for a name that had a value which only the shell knows. */
  readonly #values = new Map<string, readonly string[] | undefined>();
  /** Names of variables with the id of a process that the line started. */
  readonly #processes = new Set<string>();

  /** Takes `NAME=value`. A value that only the shell knows makes the name unknown. */
  assign({ text, spelled, isDynamic, isQuoted }: ShellWord): void {
    const [, key = '', value = ''] = /^(\w+)=(.*)$/s.exec(spelled) ?? [];
    const word = { text: text.slice(key.length + 1), spelled: value, isDynamic, isQuoted };
    if (value === '$!') this.#processes.add(key);
    else this.#set(key, this.resolve(word));
  }

  /** Takes the head of a loop: `for NAME in WORDS`. */
  loop([key, , ...words]: readonly ShellWord[]): void {
    const values = words.map((word) => this.resolve(word));
    const known = values.every((each) => each !== undefined);
    this.#set(key?.text ?? '', known ? values.flatMap((each) => each ?? []) : undefined);
  }

  /** Forgets a variable that a program sets. */
  forget(key: string): void {
    this.#values.set(key, undefined);
  }

  /** Returns true for the id of a process that the line started. */
  isProcess = ({ spelled }: ShellWord): boolean => {
    const [, plain, braced] = name.exec(spelled) ?? [];
    return spelled === '$!' || this.#processes.has(plain ?? braced ?? '');
  };

  /** Returns the words that a word may become; `undefined` if only the shell knows them. */
  resolve(word: ShellWord): readonly ShellWord[] | undefined {
    if (!word.isDynamic) return [word];
    const spelled = word.spelled
      .replace(/^\$(?:HOME|\{HOME\})(?=[/:]|$)/, '~')
      .replace(/^\$(?:PWD|\{PWD\})(?=[/:]|$)/, '.')
      .replace(/^\$\(pwd\)/, '.')
      .replace(harmless, 'x')
      .replace(/\{\d+\.\.\d+(?:\.\.\d+)?\}/g, '1')
      .replace(/\[[^\]/]+\]/g, '?');
    const texts = this.#expanded([spelled]);
    return texts?.map((text) => ({
      text,
      spelled: text,
      isDynamic: /[*?]/.test(text),
      isQuoted: word.isQuoted,
    }));
  }

  #set(key: string, words: readonly ShellWord[] | undefined): void {
    const before = this.#values.has(key) ? this.#values.get(key) : [];
    const isKnown = before !== undefined && words !== undefined;
    // An assignment may be conditional, so earlier values still count.
    this.#values.set(key, isKnown ? [...before, ...words.map(({ text }) => text)] : undefined);
  }

  #expanded(texts: readonly string[]): readonly string[] | undefined {
    if (texts.length > most) return undefined;
    const open = texts.find((text) => name.test(text) || braces.test(text));
    if (open === undefined) return texts.some((text) => /[$`\\{}]/.test(text)) ? undefined : texts;
    const [variable = '', plain, braced] = name.exec(open) ?? [];
    const [list = '', inner = ''] = braces.exec(open) ?? [];
    const values = variable === '' ? inner.split(',') : this.#values.get(plain ?? braced ?? '');
    if (values === undefined) return undefined;
    const made = values.map((value) => open.split(variable === '' ? list : variable).join(value));
    return this.#expanded([...texts.filter((text) => text !== open), ...made]);
  }
}
