/**
 * Base class of the commands of `helios`: each command has a home folder, a help page, and an exit
 * code.
 */
import path from 'node:path';
import { Help, type Command, type Option } from 'commander';
import { UserCommand } from '../presentation/userCommand.ts';
import { nonEmpty } from './values.ts';
import type { CliDeps } from './cliDeps.ts';

export interface CommandContext {
  readonly deps: CliDeps;
  /** Absolute path of the home folder of Helios. */
  readonly home: string;
}

/** An invocation of `helios`. */
export interface CommandLine {
  readonly deps: CliDeps;
  /** The value of `--home`, if given. */
  home: string | undefined;
  /** The exit code of the command. */
  code: number;
}

export class CliCommand extends UserCommand {
  readonly #line: CommandLine;

  constructor(name: string, line: CommandLine) {
    super(name);
    this.#line = line;
    this.option(
      '--home <folder>',
      'folder of sessions, runs, machines and keys (default: HELIOS_HOME, or ~/.helios)',
      (text) => (line.home = nonEmpty(text)),
    );
  }

  override createCommand(name = ''): CliCommand {
    return new CliCommand(name, this.#line);
  }

  override createHelp(): Help {
    return Object.assign(new CommandHelp(), this.configureHelp());
  }

  /**
   * Prints the help of the command to stdout. Also used for a command group without a subcommand,
   * where commander would print to stderr.
   */
  override help(): never {
    return super.help();
  }

  /**
   * Sets the function that the command runs. `work` gets the context, the arguments and then the
   * options, and resolves with the exit code.
   */
  runs<Words extends unknown[]>(
    work: (context: CommandContext, ...words: Words) => Promise<number>,
  ): this {
    return this.action((...words: unknown[]) =>
      this.carryOut((context) => work(context, ...(words.slice(0, -1) as Words))),
    );
  }

  async carryOut(work: (context: CommandContext) => Promise<number>): Promise<void> {
    const { deps, home } = this.#line;
    const folder = home ?? (deps.env['HELIOS_HOME']?.trim() || deps.defaultHome);
    this.#line.code = await work({ deps, home: path.resolve(deps.cwd, folder) });
  }
}

const lastOptions: readonly (string | undefined)[] = ['--home', '--help'];

class CommandHelp extends Help {
  override commandDescription(command: Command): string {
    const summary = command.summary();
    return command.description() || `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  }

  override visibleOptions(command: Command): Option[] {
    const place = ({ long }: Option): number => lastOptions.indexOf(long);
    return super.visibleOptions(command).toSorted((one, other) => place(one) - place(other));
  }

  /** Returns the command as the help lists it, without `[options]`, which every command has. */
  override subcommandTerm(command: Command): string {
    return `${command.name()} ${command.usage()}`.replace(' [options]', '');
  }
}
