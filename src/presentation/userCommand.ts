/** Base of commands that users type in a terminal or in the chat. */
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

  /** Accepts options in front of a sub-command's name, too, by moving them behind it. */
  override parseOptions(words: string[]): ParseOptionsResult {
    const at = this.#wordAt(words);
    const isName = at > 0 && this.commands.some((command) => command.name() === words[at]);
    return super.parseOptions(
      isName ? [...words.slice(at, at + 1), ...words.toSpliced(at, 1)] : words,
    );
  }

  /** The advice that ends every error. */
  protected advice(): string {
    return `See ${fullNameOf(this)} --help.`;
  }

  /** Index of the first word that is neither an option nor an option's value. */
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
 * Turns an error of commander into a sentence: `error: unknown option '--jsn'
 * (Did you mean --json?)`.
 */
function sentenceOf(message: string): string {
  const text = message.replace(/^error: /, '').replace(/\n\((Did you mean [^\n]+)\)$/, '. $1');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;
}
