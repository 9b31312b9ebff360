/**
 * Declares the arguments of `helios machine` in the terminal and `/machine` in the chat in one
 * place.
 */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { UserFacing } from '../../base/errors.ts';
import {
  checkedEntry,
  parseMachineSpec,
  remoteKinds,
  type MachineEntry,
} from '../../machines/machineEntry.ts';
import { UserCommand } from '../userCommand.ts';
import {
  machineOptions,
  optionsOf,
  type LocalPath,
  type MachineOption,
  type RemoteKind,
} from './machineOptions.ts';

export type MachineRequest =
  | { readonly action: 'add'; readonly entry: MachineEntry }
  /** Imports hosts of the ssh config: those in `names`, or all. */
  | { readonly action: 'import'; readonly names: readonly string[] | 'all' }
  | { readonly action: 'rm' | 'test'; readonly id: string };

export interface MachineArgumentsContext {
  /** Hosts of the ssh config. */
  readonly aliases: readonly string[];
  readonly localPath: LocalPath;
}

/** Returns the parsed request. Throws `UserFacing` if the arguments are invalid. */
export type ReadRequest = (context: MachineArgumentsContext) => MachineRequest;

/**
 * Values of each option by the option's name in camel case; `true` for an option that takes no
 * value.
 */
type OptionTexts = Readonly<Record<string, readonly string[] | true>>;

/**
 * Declares the actions on machines as sub-commands of `machine`. `ask` is called with a function
 * that returns the request of the user.
 */
export function declareMachineWords(
  machine: Command,
  ask: (read: ReadRequest) => void | Promise<void>,
): void {
  const add = machine
    .command('add')
    .summary(
      'adds an SSH host, a Slurm cluster or a container; replaces a machine with the same id',
    )
    .argument('<id>', 'id of the machine')
    .argument(
      '[place]',
      'user@host[:port], or a host of your ssh config; omit it for a container, or if the id is such a host',
    )
    .addOption(new Option('--kind <kind>', kindsText).choices(remoteKinds).default('ssh'));
  declareOptions(add)
    .addHelpText('after', valuesText)
    .action(
      (
        id: string,
        place: string | undefined,
        { kind, ...texts }: OptionTexts & { readonly kind: RemoteKind },
      ) =>
        ask((context) => ({
          action: 'add',
          entry: addedEntry({ id, kind, place, texts }, context),
        })),
    );
  machine
    .command('import')
    .summary('adds hosts of your ssh config')
    .argument('[names...]', 'the hosts')
    .option('--all', 'every host except patterns and git hosts')
    .action((names: readonly string[], { all = false }: { readonly all?: boolean }) =>
      ask(() => ({ action: 'import', names: importedNames(names, all) })),
    );
  machine
    .command('rm')
    .summary('removes a machine from the list; nothing changes on the machine')
    .argument('<id>', 'the machine')
    .action((id: string) => ask(() => ({ action: 'rm', id })));
  machine
    .command('test')
    .summary('connects to a machine and reports the result')
    .argument('<id>', 'the machine')
    .action((id: string) => ask(() => ({ action: 'test', id })));
}

/** Parses the words of a chat message. Throws `UserFacing` with the usage if they are invalid. */
export function readMachineWords(
  words: readonly string[],
  context: MachineArgumentsContext,
): MachineRequest | { readonly action: 'list' } {
  let request: MachineRequest | { readonly action: 'list' } = { action: 'list' };
  if (words.length === 0) return request;
  const machine = new TypedCommand('machine', usage).helpOption(false);
  declareMachineWords(machine, (read) => {
    request = read(context);
  });
  machine.command('list').action(() => undefined);
  machine.parse([...words], { from: 'user' });
  return request;
}

/**
 * Returns the fields of a machine's entry that the options set. Throws `UserFacing` for an invalid
 * option.
 */
export function readMachineOptions(
  words: readonly string[],
  kind: RemoteKind,
  localPath: LocalPath,
): Readonly<Record<string, unknown>> {
  const command = declareOptions(new TypedCommand('options', offered(kind)).helpOption(false));
  command.action(() => undefined).parse([...words], { from: 'user' });
  return fieldsOf(command.opts<OptionTexts>(), kind, localPath);
}

/**
 * Splits a line into arguments like a shell: spaces separate arguments, quotes group words. Throws
 * `UserFacing` if a quote is not closed.
 */
export function splitArguments(line: string): string[] {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g)].map(([word]) => word);
  if (words.some((word) => /^["']$/.test(word)))
    throw new UserFacing('Unterminated quote.', 'Add the closing quote.');
  return words.map((word) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_whole, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

/** A command of the chat, which has no help page. */
class TypedCommand extends UserCommand {
  readonly #advice: string;

  constructor(name: string, advice: string) {
    super(name);
    this.#advice = advice;
  }

  override createCommand(name = ''): TypedCommand {
    return new TypedCommand(name, this.#advice);
  }

  protected override advice(): string {
    return this.#advice;
  }
}

const usage = 'Use one of: add ID user@host[:port], rm ID, test ID, list, import --all.';

const kindsText =
  'ssh: a host that is reached by SSH; slurm: a Slurm cluster, with this computer as login host if no host is named; ' +
  'container: an isolated container on this computer, suited to unattended goals';

const valuesText =
  '\nTIME is 90m, 24h or 2d, or as Slurm writes it, 1-12:00:00. Memory is 16G or 512M.';

const optionsByName = Map.groupBy(machineOptions, ({ name }) => name);

/**
 * Declares each option name once for all kinds of machine. Values are parsed later, because their
 * meaning depends on the kind, which may come after the option.
 */
function declareOptions<Declared extends Command>(command: Declared): Declared {
  for (const [name, variants] of optionsByName) {
    const about = variants
      .map((option) => `${option.kinds.join(', ')}: ${option.about}`)
      .join('; ');
    const values = [...new Set(variants.flatMap(({ value }) => value?.split('|') ?? []))];
    command.addOption(
      values.length === 0
        ? new Option(`--${name}`, about)
        : new Option(`--${name} <${values.join('|')}>`, about).argParser(
            (text, before: readonly string[] = []) => [...before, textOf(text, variants)],
          ),
    );
  }
  return command;
}

/**
 * Returns the value of an option. Throws if the value is missing: text that begins with `--` is the
 * next option. Only `--flag` accepts such text, because its value is an argument of `sbatch`.
 */
function textOf(text: string, [option]: readonly MachineOption[]): string {
  if (option === undefined || (text !== '' && (option.name === 'flag' || !text.startsWith('--'))))
    return text;
  throw new InvalidArgumentError(meaningOf(option));
}

const meaningOf = ({ name, about, example }: MachineOption): string =>
  `Expected: ${about}, such as --${name} ${example}.`;

interface NewMachine {
  readonly id: string;
  readonly kind: RemoteKind;
  readonly place: string | undefined;
  readonly texts: OptionTexts;
}

function addedEntry(
  { id, kind, place, texts }: NewMachine,
  context: MachineArgumentsContext,
): MachineEntry {
  const fields = fieldsOf(texts, kind, context.localPath);
  return checkedEntry({ id, kind, ...placeOf({ id, kind, place }, context), ...fields });
}

function placeOf(
  { id, kind, place }: Omit<NewMachine, 'texts'>,
  { aliases }: MachineArgumentsContext,
): object {
  if (kind === 'container' && place !== undefined)
    throw new UserFacing(
      `A container has no host, but "${place}" was given.`,
      'Name the image instead: --image python:3.12-slim.',
    );
  if (place !== undefined) return parseMachineSpec(place, aliases);
  if (kind === 'ssh' && aliases.includes(id)) return parseMachineSpec(id, aliases);
  if (kind === 'ssh')
    throw new UserFacing(
      `A machine of the kind ssh needs a host, and your ssh config has no Host ${id}.`,
      'Use user@host[:port], or a host of your ssh config.',
    );
  return {};
}

function fieldsOf(
  all: OptionTexts,
  kind: RemoteKind,
  localPath: LocalPath,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, variants] of optionsByName) {
    const texts = all[new Option(`--${name}`).attributeName()];
    if (texts === undefined) continue;
    const option = optionFor(variants, kind);
    const values = texts === true ? [true] : texts.map((text) => valueOf(option, text, localPath));
    fields[option.field] = together(option, values);
  }
  return fields;
}

function together({ isList, isRecord }: MachineOption, values: readonly unknown[]): unknown {
  if (isRecord === true)
    return Object.fromEntries(values as readonly (readonly [string, string])[]);
  return isList === true ? values : values.at(-1);
}

function optionFor(variants: readonly MachineOption[], kind: RemoteKind): MachineOption {
  const option = variants.find(({ kinds }) => kinds.includes(kind));
  if (option !== undefined) return option;
  const kinds = [...new Set(variants.flatMap((each) => each.kinds))].join(' or ');
  throw new UserFacing(
    `--${variants[0]?.name ?? ''} applies only to the kind ${kinds}, but this machine is of the kind ${kind}.`,
    offered(kind),
  );
}

const offered = (kind: RemoteKind): string =>
  `Options for the kind ${kind}: ${optionsOf(kind)
    .map(({ name }) => `--${name}`)
    .join(', ')}.`;

function valueOf(option: MachineOption, text: string, localPath: LocalPath): unknown {
  const read = option.read(text, localPath);
  if (read === undefined)
    throw new UserFacing(`Invalid value of --${option.name}: "${text}".`, meaningOf(option));
  return read;
}

function importedNames(names: readonly string[], isAll: boolean): readonly string[] | 'all' {
  if (isAll === names.length > 0)
    throw new UserFacing(
      'Expected host names or --all.',
      'Name hosts of your SSH config: import gpu1 gpu2, or import --all.',
    );
  return isAll ? 'all' : names;
}
