/** Reads the arguments of a program, given the list of options that it may have. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { plainVariable } from '../values/plainVariables.ts';
import {
  hasChoice,
  isList,
  isNumber,
  isPrintable,
  mayBeOption,
  scriptTexts,
} from '../values/possibleTexts.ts';

/**
 * The options that a program may be given, separated by spaces:
 * - `a`: the short option `-a`; also in clusters, such as `-la`
 * - `n:`: the short option `-n` with a value, attached or as the next word
 * - `f@`: the same, with a path as its value
 * - `U?`: the short option `-U`, whose value can only be attached
 * - `--all`: a long option; also as `--all=VALUE`
 * - `--lines=`, `--file@`: a long option whose value may be the next word; a path for `@`
 * - `-name=`, `-print`: an option with one dash, as those of find; with a value for `=`
 * - `--arg==`, `--rawfile=@`: a long option whose values are the next two words; the second is a
 *   path for `=@`
 * - `#`: a number as an option, such as `-20`
 */
export type OptionList = string;

export interface Arguments {
  readonly operands: readonly ShellWord[];
  /** Values of options that are paths. */
  readonly paths: readonly ShellWord[];
  /** Names of the options, such as `-n` and `--lines`. */
  readonly names: ReadonlySet<string>;
  /**
   * Values of the other options, by name, in the order of the call. All texts that a value with
   * variables may be, if they are known.
   */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Names of the options with a value that is not known. */
  readonly unknown: ReadonlySet<string>;
}

type Kind = 'flag' | 'attached' | 'value' | 'path' | 'pair' | 'pathPair';

interface Options {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly hasNumbers: boolean;
}

const kindsOfMarks: Readonly<Record<string, Kind>> = {
  '?': 'attached',
  ':': 'value',
  '=': 'value',
  '@': 'path',
  '==': 'pair',
  '=@': 'pathPair',
};

const lists = new Map<OptionList, Options>();

function optionsOf(list: OptionList): Options {
  const known = lists.get(list);
  if (known !== undefined) return known;
  const kinds = new Map<string, Kind>();
  for (const entry of list.split(' ').filter((each) => each !== '' && each !== '#')) {
    const [, name = '', mark = ''] = /^(.+?)(=[=@]|[?:=@]?)$/.exec(entry) ?? [];
    kinds.set(name.startsWith('-') ? name : `-${name}`, kindsOfMarks[mark] ?? 'flag');
  }
  const options = { kinds, hasNumbers: list.split(' ').includes('#') };
  lists.set(list, options);
  return options;
}

/**
 * Reads the arguments of a program. If an option is not on the list, returns this option as
 * written.
 */
export function readArguments(words: readonly ShellWord[], list: OptionList): Arguments | string {
  return new ArgumentReader(words, optionsOf(list)).read();
}

class ArgumentReader {
  readonly #words: readonly ShellWord[];
  readonly #options: Options;
  readonly #operands: ShellWord[] = [];
  readonly #paths: ShellWord[] = [];
  readonly #names = new Set<string>();
  readonly #values = new Map<string, readonly string[]>();
  readonly #unknown = new Set<string>();
  #at = 0;

  constructor(words: readonly ShellWord[], options: Options) {
    this.#words = words;
    this.#options = options;
  }

  read(): Arguments | string {
    for (; this.#at < this.#words.length; this.#at += 1) {
      const word = this.#words[this.#at];
      if (word === undefined) break;
      // The text of a word with a variable leaves out the value: `-"$x"` is an option.
      if (word.text === '--' && !word.isDynamic) {
        this.#operands.push(...this.#words.slice(this.#at + 1));
        break;
      }
      if (mayBeOption(word)) return word.spelled;
      const isInput = word.text === '-' && !word.isDynamic;
      if (!word.text.startsWith('-') || isInput) this.#operands.push(word);
      else if (!this.#option(word)) return word.spelled;
    }
    const [operands, paths, names, values] = [
      this.#operands,
      this.#paths,
      this.#names,
      this.#values,
    ];
    return { operands, paths, names, values, unknown: this.#unknown };
  }

  #option(word: ShellWord): boolean {
    if (word.isDynamic && !isPatternOption(word)) return this.#partlyKnown(word);
    const { text } = word;
    if (this.#options.hasNumbers && /^-\d+$/.test(text)) return true;
    const equals = text.indexOf('=');
    const name = equals < 0 ? text : text.slice(0, equals);
    const kind = this.#options.kinds.get(name);
    if (kind !== undefined && (equals < 0 || text.startsWith('--')))
      return this.#take(name, kind, equals < 0 ? undefined : text.slice(equals + 1));
    return !text.startsWith('--') && this.#cluster(text.slice(1));
  }

  /** Records `--name=VALUE` with variables in the value, and `-NUMBER`; false for other words. */
  #partlyKnown({ parts: [first, ...others] = [], ...word }: ShellWord): boolean {
    if (this.#options.hasNumbers && first?.kind === 'text' && first.text === '-')
      return isNumber({ ...word, parts: others });
    const [option, name = ''] = (first?.kind === 'text' && /^(--[a-z-]+)=/.exec(first.text)) || [];
    const kind = this.#options.kinds.get(name) ?? 'path';
    if (option === undefined || !/^(?:value|flag)$/.test(kind)) return false;
    const cut = (text: string): string => text.slice(option.length);
    const text = { kind: 'text' as const, text: cut(first?.kind === 'text' ? first.text : '') };
    const value = { ...word, text: cut(word.text), spelled: cut(word.spelled) };
    this.#names.add(name);
    return this.#takeValue('value', name, { ...value, parts: [text, ...others] });
  }

  #cluster(letters: string): boolean {
    for (const [index, letter] of [...letters].entries()) {
      const kind = this.#options.kinds.get(`-${letter}`);
      if (kind === undefined) return false;
      const rest = letters.slice(index + letter.length);
      if (kind !== 'flag') return this.#take(`-${letter}`, kind, rest === '' ? undefined : rest);
      this.#names.add(`-${letter}`);
    }
    return true;
  }

  /**
   * Records an option with the value attached to it, or with the next word as its value. Returns
   * false if the value is missing or not allowed.
   */
  #take(name: string, kind: Kind, attached: string | undefined): boolean {
    this.#names.add(name);
    if (kind === 'flag' || (kind === 'attached' && attached === undefined)) {
      if (attached !== undefined) this.#addValue(name, attached);
      return true;
    }
    if (kind === 'pair' || kind === 'pathPair')
      return attached === undefined && this.#takeNext('value', name) && this.#takeNext(kind, name);
    return attached === undefined
      ? this.#takeNext(kind, name)
      : this.#takeValue(kind, name, plainWord(attached));
  }

  #takeNext(kind: Kind, name: string): boolean {
    this.#at += 1;
    const value = this.#words[this.#at];
    // A version of the program whose option takes no value would read this word as an option.
    const isUnclear = name.startsWith('--') && /^-(?!\d*$)/.test(value?.text ?? '');
    return !isUnclear && this.#takeValue(kind, name, value);
  }

  #takeValue(kind: Kind, name: string, value: ShellWord | undefined): boolean {
    if (value === undefined) return false;
    const isPath = kind === 'path' || kind === 'pathPair';
    const isPlain = !value.isDynamic || (kind === 'value' && plainVariable(value) !== undefined);
    if (!isPlain && (isList(value) || !(isPath ? hasChoice(value) : isPrintable(value))))
      return isNumber(value);
    if (isPath) this.#paths.push(value);
    else if (isPlain) this.#addValue(name, value.text);
    else this.#addTexts(name, value);
    return true;
  }

  /** Records the texts that a value with variables may be. */
  #addTexts(name: string, value: ShellWord): void {
    const texts = scriptTexts(value);
    if (texts === undefined) this.#unknown.add(name);
    for (const text of texts ?? [value.text]) this.#addValue(name, text);
  }

  #addValue(name: string, value: string): void {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }
}

/**
 * Returns true for an option whose value is a pattern for the program, such as `--include=*.py`.
 * The option is quoted when the line runs (`asArgumentLists`), so the shell does not expand it.
 */
export const isPatternOption = ({ text, spelled, isDynamic }: ShellWord): boolean =>
  isDynamic && text === spelled && /^--[\w-]+=[^{}$`\\[\]]*$/.test(text);

const plainWord = (text: string): ShellWord => ({
  text,
  spelled: text,
  isDynamic: false,
  isQuoted: true,
});
