/** What a sub-command of `helios` is, and how its words are read. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { codeOf, messageOf, UserFacing } from '../base/errors.ts';
import type { CliWorld } from './world.ts';

export interface CommandContext {
  readonly world: CliWorld;
  /** The home folder, absolute. */
  readonly home: string;
}

/** One entry of the command table. */
export interface CliCommand {
  readonly name: string;
  /** Further names of the same command. */
  readonly otherNames?: readonly string[];
  /** What stands behind the name, for the list of commands: `WORDS [--json]`. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly about: string;
  /** What `helios NAME --help` prints; every command also takes `--home FOLDER`. */
  help(): string;
  /** The names of it that ask for help where no words follow. */
  readonly needsWords?: readonly string[];
  /** The exit code. `name` is the one that was written. Rejects with `UserFacing`. */
  run(words: readonly string[], context: CommandContext, name: string): Promise<number>;
}

/** A command whose words are read before anything is opened; `parse` throws `UserFacing`. */
export function defineCommand<Options>({
  parse,
  run,
  ...rest
}: Omit<CliCommand, 'run'> & {
  parse(words: readonly string[], name: string): Options;
  run(options: Options, context: CommandContext): Promise<number>;
}): CliCommand {
  return {
    ...rest,
    run: (words, context, name) => {
      const options = parse(words, name);
      return run(options, context);
    },
  };
}

type OptionShapes = NonNullable<ParseArgsConfig['options']>;

/**
 * The options and the other words of a command. Throws `UserFacing` with `usage` for an option that is not known, and for
 * more words than `maxWords`.
 */
export function readWords<const Shapes extends OptionShapes>(
  words: readonly string[],
  { options, maxWords, usage }: { readonly options: Shapes; readonly maxWords: number; readonly usage: string },
) {
  try {
    const read = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    const extra = read.positionals[maxWords];
    if (extra === undefined) return read;
    throw new Error(`“${extra}” is one word too many.`);
  } catch (error) {
    throw new UserFacing(problemOf(error, words), `Write ${usage}`);
  }
}

/** What Node says of an option that is not known is of no use to who mistyped one. */
function problemOf(error: unknown, words: readonly string[]): string {
  if (codeOf(error) !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return messageOf(error);
  const [, option = words.find((word) => word.startsWith('-')) ?? ''] = /'(-[^']*)'/.exec(messageOf(error)) ?? [];
  return `There is no option ${option}.`;
}

/** A whole number above 0. Throws `UserFacing`. */
export function countOf(text: string, option: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value > 0 && Number.isSafeInteger(value)) return value;
  throw new UserFacing(`${option} must be a whole number above 0, not “${text}”.`, `Write it as ${option} 20.`);
}
