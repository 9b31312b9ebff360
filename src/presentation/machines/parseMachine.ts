/** The words about machines: what is typed after `helios machine` and after `/machine`. One grammar for both. Pure. */
import { parseArgs } from 'node:util';
import { UserFacing } from '../../base/errors.ts';
import { checkedEntry, parseMachineSpec, remoteKinds, type MachineEntry } from '../../machines/machineEntry.ts';
import { machineOptions, optionsOf, type LocalPath, type MachineOption, type RemoteKind } from './machineOptions.ts';

export type MachineRequest =
  | { readonly action: 'list' }
  | { readonly action: 'add'; readonly entry: MachineEntry }
  /** Hosts of the ssh config. */
  | { readonly action: 'import'; readonly names: readonly string[] | 'all' }
  | { readonly action: 'rm' | 'test'; readonly id: string };

export interface MachineArgumentsContext {
  /** Hosts of the ssh config. */
  readonly aliases: readonly string[];
  readonly localPath: LocalPath;
}

interface GivenOption {
  readonly name: string;
  readonly value: string | undefined;
}

/** Throws `UserFacing` with what is understood. */
export function parseMachineArguments(words: readonly string[], context: MachineArgumentsContext): MachineRequest {
  const { positionals, options } = tokensOf(words);
  const [action = 'list', ...names] = positionals;
  if (action === 'add') return { action, entry: addedEntry(names, options, context) };
  if (action === 'import') return { action, names: importedNames(names, options) };
  const [first] = options;
  if (first !== undefined) throw new UserFacing(`--${first.name} is for adding a machine.`, usage);
  const [id, ...more] = names;
  if (action === 'list' && id === undefined) return { action };
  if ((action === 'rm' || action === 'test') && id !== undefined && more.length === 0) return { action, id };
  throw new UserFacing(`"${words.join(' ')}" is no command for machines.`, usage);
}

/** The fields that the options stand for. Throws `UserFacing`. */
export function parseMachineOptions(
  words: readonly string[],
  kind: RemoteKind,
  localPath: LocalPath,
): Readonly<Record<string, unknown>> {
  const { positionals, options } = tokensOf(words);
  const [word] = positionals;
  if (word !== undefined) throw new UserFacing(`"${word}" is no option.`, offered(kind));
  return fieldsOf(options, kind, localPath);
}

/** As a shell splits a line: blanks part words, quotes hold them together. Throws `UserFacing` for a quote without its end. */
export function splitArguments(line: string): string[] {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']/g)].map(([word]) => word);
  if (words.some((word) => /^["']$/.test(word))) throw new UserFacing('A quote has no end.', 'Close it.');
  return words.map((word) =>
    word.replace(
      /"([^"]*)"|'([^']*)'/g,
      (_whole, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

const usage = 'Say one of: add ID user@host[:port], rm ID, test ID, list, import --all.';

function tokensOf(words: readonly string[]): { positionals: string[]; options: GivenOption[] } {
  const withValue = ['kind', ...machineOptions.filter(({ value }) => value !== undefined).map(({ name }) => name)];
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(withValue.map((name) => [name, { type: 'string', multiple: true } as const])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = tokens.flatMap((token) => (token.kind === 'option' ? [{ ...token }] : []));
  const unknown = options.find(({ name }) => !['all', 'kind'].includes(name) && optionsCalled(name).length === 0);
  if (unknown !== undefined) throw new UserFacing(`${unknown.rawName} is not known here.`, usage);
  return { positionals: tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])), options };
}

const optionsCalled = (name: string): readonly MachineOption[] =>
  machineOptions.filter((option) => option.name === name);

function addedEntry(
  names: readonly string[],
  options: readonly GivenOption[],
  context: MachineArgumentsContext,
): MachineEntry {
  const [id, place, ...more] = names;
  if (id === undefined) throw new UserFacing('A machine needs an id.', examples);
  const kind = kindOf(options);
  const rest = options.filter(({ name }) => name !== 'kind');
  // An option without its value takes the next word for it: that is told first.
  const fields = fieldsOf(rest, kind, context.localPath);
  if (more.length > 0) throw new UserFacing(`"${more.join(' ')}" is too much.`, examples);
  return checkedEntry({ id, kind, ...placeOf(kind, place, context), ...fields });
}

const examples =
  'Such as: add gpu1 ada@gpu1:2222, add lab --kind slurm --partition gpu, or add box --kind container --image python:3.12-slim.';

function kindOf(options: readonly GivenOption[]): RemoteKind {
  const given = options.findLast(({ name }) => name === 'kind');
  if (given === undefined) return 'ssh';
  const kind = remoteKinds.find((each) => each === given.value);
  if (kind !== undefined) return kind;
  throw new UserFacing(`There is no kind of machine called ${given.value ?? ''}.`, `Kinds: ${remoteKinds.join(', ')}.`);
}

function placeOf(kind: RemoteKind, place: string | undefined, { aliases }: MachineArgumentsContext): object {
  if (kind === 'container' && place !== undefined)
    throw new UserFacing(
      `A container has no host, and "${place}" is one.`,
      'Name what it is made of: --image python:3.12-slim.',
    );
  if (place !== undefined) return parseMachineSpec(place, aliases);
  if (kind === 'ssh')
    throw new UserFacing(
      'A machine of the kind ssh needs a host.',
      'Write user@host[:port], or a host of your ssh config.',
    );
  return {};
}

function fieldsOf(options: readonly GivenOption[], kind: RemoteKind, localPath: LocalPath): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const given of options) {
    const option = optionFor(given, kind);
    const value = valueOf(option, given, localPath);
    const before = fields[option.field] as readonly unknown[] | undefined;
    fields[option.field] = option.isList === true ? [...(before ?? []), value] : value;
  }
  return fields;
}

function optionFor({ name }: GivenOption, kind: RemoteKind): MachineOption {
  const named = optionsCalled(name);
  const option = named.find(({ kinds }) => kinds.includes(kind));
  if (option !== undefined) return option;
  const kinds = [...new Set(named.flatMap((each) => each.kinds))].join(' or ');
  const where = kinds === '' ? 'cannot be said here' : `is for the kind ${kinds}, and this one is ${kind}`;
  throw new UserFacing(`--${name} ${where}.`, offered(kind));
}

const offered = (kind: RemoteKind): string =>
  `Of the kind ${kind}: ${optionsOf(kind)
    .map(({ name }) => `--${name}`)
    .join(', ')}.`;

function valueOf(option: MachineOption, { name, value }: GivenOption, localPath: LocalPath): unknown {
  if (option.value === undefined) {
    if (value !== undefined) throw new UserFacing(`--${name} takes no value.`, `Write --${name} alone.`);
    return option.read('', localPath);
  }
  const meaning = `It is ${option.about}, such as --${name} ${option.example}.`;
  // Only arguments for another program begin with dashes: here the value was forgotten.
  const isForgotten = value === undefined || value === '' || (value.startsWith('--') && option.name !== 'flag');
  if (isForgotten) throw new UserFacing(`--${name} needs a value.`, meaning);
  const read = option.read(value, localPath);
  if (read === undefined) throw new UserFacing(`--${name} cannot be "${value}".`, meaning);
  return read;
}

function importedNames(names: readonly string[], options: readonly GivenOption[]): readonly string[] | 'all' {
  const other = options.find(({ name }) => name !== 'all');
  if (other !== undefined) throw new UserFacing(`--${other.name} cannot be said here.`, importUsage);
  const isAll = options.length > 0;
  if (isAll === names.length > 0) throw new UserFacing('Which hosts of the ssh config?', importUsage);
  return isAll ? 'all' : names;
}

const importUsage = 'Write import and their names, or import --all.';
