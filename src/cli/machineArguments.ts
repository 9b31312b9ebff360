/** `helios machine …` and `helios machines`: the words that are about machines, not about a goal. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { authMethods, type AuthMethod } from '../machines/machineEntry.ts';

export type MachineRequest =
  | { readonly action: 'list'; readonly isJson: boolean }
  | {
      readonly action: 'add';
      readonly id: string;
      /** `user@host[:port]`, or a host of the ssh config. */
      readonly place: string;
      readonly key?: string;
      readonly auth?: AuthMethod;
      readonly workFolder?: string;
    }
  | { readonly action: 'rm' | 'test'; readonly id: string };

export interface ParsedMachineRequest {
  readonly request: MachineRequest;
  readonly home: string | undefined;
}

/** Whether the first word says so. A goal that begins with one of these words is written in quotes. */
export function isAboutMachines(argv: readonly string[]): boolean {
  const start = argv[0] === '--home' ? 2 : argv[0]?.startsWith('--home=') ? 1 : 0;
  return argv[start] === 'machine' || argv[start] === 'machines';
}

/** Throws `CommanderError` after help or a refusal was written by `configured`. */
export function parseMachineRequest(
  argv: readonly string[],
  configured: (command: Command) => Command,
): ParsedMachineRequest {
  let request: MachineRequest | undefined;
  const found = (wanted: MachineRequest): void => void (request = wanted);
  const program = configured(new Command('helios')).option('--home <folder>', 'where machines.json is', nonEmpty);
  const machine = configured(program.command('machine')).description('Adds, removes and tries machines.');
  addCommand(configured(machine.command('add')), found);
  configured(machine.command('rm'))
    .description('Takes a machine off the list; nothing on it is touched.')
    .argument('<id>', 'as helios machines shows it', nonEmpty)
    .action((id: string) => found({ action: 'rm', id }));
  configured(machine.command('test'))
    .description('Connects to a machine and says what was found.')
    .argument('<id>', 'as helios machines shows it', nonEmpty)
    .action((id: string) => found({ action: 'test', id }));
  configured(program.command('machines'))
    .description('Lists the machines, and whether they answer.')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => found({ action: 'list', isJson: json === true }));
  // Where it stands after the words, as for a goal.
  for (const command of [...machine.commands, ...program.commands.filter(({ commands }) => commands.length === 0)])
    command.option('--home <folder>', 'where machines.json is', nonEmpty);
  program.parse([...argv], { from: 'user' });
  const home = [program, ...program.commands, ...machine.commands].flatMap(
    (each) => each.opts<{ home?: string }>().home ?? [],
  );
  return { request: request ?? { action: 'list', isJson: false }, home: home.at(-1) };
}

interface RawAdd {
  readonly key?: string;
  readonly auth?: AuthMethod;
  readonly workFolder?: string;
}

function addCommand(command: Command, found: (request: MachineRequest) => void): void {
  command
    .description('Adds a machine that is reached by SSH, or replaces the one of this id.')
    .argument('<id>', 'what it is called from now on, such as gpu1', nonEmpty)
    .argument('<place>', 'user@host[:port], or a host of the ssh config', nonEmpty)
    .option('--key <file>', 'the private key', nonEmpty)
    .addOption(new Option('--auth <method>', 'how to log in; by default as the ssh config says').choices(authMethods))
    .option('--work-folder <folder>', 'where commands start there (default: the home folder)', nonEmpty)
    .action((id: string, place: string, { key, auth, workFolder }: RawAdd) =>
      found({
        action: 'add',
        id,
        place,
        ...(key !== undefined && { key }),
        ...(auth !== undefined && { auth }),
        ...(workFolder !== undefined && { workFolder }),
      }),
    );
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
