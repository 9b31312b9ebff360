/** Base class of commands that users type in a terminal or in the chat. */
import { Command, type ParseOptionsResult } from 'commander';
import { UserFacing } from '../base/errors.ts';

/** A commander command that throws `UserFacing` for invalid input and never exits the process. */
export abstract class UserCommand extends Command {
  constructor(name?: string) {
    super(name);
    this.exitOverride().helpCommand(false);
  }

  override error(message: string): never {
    throw new UserFacing(sentenceOf(message), this.advice());
  }

  /** Accepts options also in front of a sub-command's name, by moving them behind the name. */
  override parseOptions(words: string[]): ParseOptionsResult {
    const at = this.#wordAt(words);
    const isName = at > 0 && this.commands.some((command) => command.name() === words[at]);
    return super.parseOptions(
      isName ? [...words.slice(at, at + 1), ...words.toSpliced(at, 1)] : words,
    );
  }

  /** Returns the advice with which every error ends. */
  protected advice(): string {
    return `See ${fullNameOf(this)} --help.`;
  }

  /** Returns the index of the first word that is neither an option nor the value of an option. */
  #wordAt(words: readonly string[]): number {
    const options = [this, ...this.commands].flatMap((command) => command.options);
    const withValue = options
      .filter(({ required }) => required)
      .flatMap(({ long, short }) => [long, short]);
    let at = 0;
    while (words[at]?.startsWith('-') === true) at += withValue.includes(words[at]) ? 2 : 1;
    return at;
  }
}

const fullNameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${fullNameOf(command.parent)} ${command.name()}`;

/**
 * Converts an error of commander, such as `error: unknown option '--jsn' (Did you mean --json?)`,
 * to sentences.
 */
function sentenceOf(message: string): string {
  const text = message.replace(/^error: /, '').replace(/\n\((Did you mean [^\n]+)\)$/, '. $1');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;
}
