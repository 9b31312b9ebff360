/** A command of a line that the mandate is checked against, with facts from earlier commands. */
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import type { Spot } from '../commands/paths/place.ts';
import type { CommandClass, MachineMandate } from './mandate.ts';
import type { Variables } from './variables.ts';

export interface Step {
  readonly mandate: MachineMandate;
  readonly spot: Spot;
  readonly variables: Variables;
  /** The environment for packages that the line has activated so far. */
  readonly environment: Environment | undefined;
  /** Returns why a script that is given to a shell is not allowed; `undefined` if it is. */
  script(text: string): string | undefined;
}

/** The environment into which packages are installed. `own`: in a folder of the mandate. */
export type Environment = 'own' | 'other';

/** A program with its arguments. */
export interface Call {
  readonly name: string;
  readonly rest: readonly ShellWord[];
  readonly command: ShellCommand;
  readonly step: Step;
}

/**
 * Returns why the mandate does not cover a call, as the rest of a sentence, such as `writes
 * /etc/hosts`; `undefined` if it covers the call.
 */
export type Check = (call: Call) => string | undefined;

export interface Rule {
  /** Class of commands that the mandate must grant. Omitted for programs that need no class. */
  readonly commandClass?: CommandClass;
  readonly check: Check;
}

/** Returns the first reason that `check` returns for a value; `undefined` if there is none. */
export const firstReason = <T>(
  values: readonly T[],
  check: (value: T) => string | undefined,
): string | undefined => {
  for (const value of values) {
    const reason = check(value);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

export const isOption = ({ text, isQuoted }: ShellWord): boolean =>
  text.startsWith('-') && text !== '-' && !isQuoted;

export const operandsOf = (words: readonly ShellWord[]): readonly ShellWord[] =>
  words.filter((word) => !isOption(word));

export const has = (words: readonly ShellWord[], option: RegExp): boolean =>
  words.some(({ text }) => option.test(text));

/** Returns the value of an option: `-p VALUE`, `--prefix VALUE` or `--prefix=VALUE`. */
export function valueOf(words: readonly ShellWord[], option: RegExp): ShellWord | undefined {
  for (const [index, word] of words.entries()) {
    const [, name = word.text, value] = /^(--[\w-]+)=(.*)$/s.exec(word.text) ?? [];
    if (!option.test(name)) continue;
    return value === undefined ? words[index + 1] : { ...word, text: value, spelled: value };
  }
  return undefined;
}
