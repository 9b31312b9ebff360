import { createInterface } from 'node:readline';
import { Option } from 'commander';
import type { Machine } from '../../machines/machine.ts';
import { UserFacing } from '../../base/errors.ts';
import {
  commandVerdict,
  mandateOn,
  decisionOf,
  pathRulesFor,
  type LineMode,
  type Verdict,
} from '../../compose/judgeLine.ts';
import { exitCodes } from '../cliDeps.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { singleLine } from '../screen/terminalText.ts';

interface MayOptions {
  readonly mode: LineMode;
  readonly machine: string;
  readonly lines?: boolean;
  readonly json?: boolean;
}

interface JudgedPlace {
  readonly machine: Machine;
  readonly rules: ReturnType<typeof pathRulesFor>;
  /** The home folder of Helios. */
  readonly home: string;
}

/** `{ line, verdict, decision, reason, part }` of a line, or `{ line, error }`. */
type Row = Readonly<Record<string, string>>;

const maxCharacters = 100_000;

const examples = `
Examples:
  helios may -- 'grep -n loss train.log | tail -5'
  helios may --machine gpu1 -- rm -rf checkpoints
  helios may --lines --json < commands.txt     one command per line, or {"line": "…"} with line ends in it`;

export const declareMay = (helios: CliCommand): CliCommand =>
  helios
    .command('may')
    .summary('show whether the agent may run a command, without running it')
    .description(
      'Shows whether the agent may run the command, and runs nothing. A safe command, which only reads, ' +
        'runs without a question; others need consent, and some are refused in every mode.',
    )
    .argument('[command...]', 'the command, after --')
    .addOption(
      new Option('--mode <mode>', 'permission mode to decide with')
        .choices(['ask', 'mandate', 'allow'])
        .default('ask'),
    )
    .option('--machine <id>', 'machine on which the command would run', 'local')
    .option('--lines', 'read commands from standard input, one per line')
    .option('--json', 'print JSON: line, verdict, decision, reason, part')
    .addHelpText('after', examples)
    .runs((context, words: readonly string[], options: MayOptions) =>
      withEngine(context, async ({ machines }) => {
        const rules = pathRulesFor(context.home, machines);
        const machine = machines.get(options.machine);
        await machine.ready?.({ mayAsk: true });
        const place = { machine, rules, home: context.home };
        if (options.lines === true) await judgeLines(place, options, context);
        else print(await judge(commandOf(words), options.mode, place), options, context);
        return exitCodes.goal;
      }),
    );

function commandOf(words: readonly string[]): string {
  if (words.length > 0) return words.join(' ');
  throw new UserFacing('No command was given.', 'Write it after --: helios may -- ls -la');
}

async function judgeLines(
  place: JudgedPlace,
  options: MayOptions,
  context: CommandContext,
): Promise<void> {
  for await (const text of createInterface({ input: context.deps.stdin })) {
    const line = lineOf(text);
    const row =
      typeof line === 'string' ? await judge(line, options.mode, place) : { line: text, ...line };
    print(row, options, context);
  }
}

/** Returns the command of an input line, or what is wrong with the line. */
function lineOf(text: string): string | { readonly error: string } {
  if (text.trim() === '') return { error: 'The line is empty.' };
  if (text.length > maxCharacters) return { error: 'The line is too long.' };
  if (!text.startsWith('{"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'line' in value)
      if (typeof value.line === 'string') return value.line;
    return { error: 'Expected {"line": "COMMAND"}.' };
  } catch {
    return { error: 'The line begins like JSON, but is not valid JSON.' };
  }
}

async function judge(
  line: string,
  mode: LineMode,
  { machine, rules, home }: JudgedPlace,
): Promise<Row> {
  const mandate = mode === 'mandate' ? await mandateOn(machine, home) : undefined;
  const verdict: Verdict = await commandVerdict(machine, { line }, { rules, mandate });
  const { kind, part, outside, pathNote = outside } = verdict;
  const reason = pathNote === undefined || pathNote === '' ? verdict.reason : pathNote;
  return { line, verdict: kind, decision: decisionOf(verdict, mode), reason, part };
}

function print(row: Row, { json = false }: MayOptions, { deps }: CommandContext): void {
  deps.stdout.write(`${json ? JSON.stringify(row) : rowText(row)}\n`);
}

function rowText({ line = '', error, decision = '', verdict, reason, part }: Row): string {
  if (error !== undefined) return `error    ${singleLine(line)}: ${error}`;
  const why = verdict === 'safe' ? 'only reads' : (reason ?? '');
  const where = part === '' || part === line ? '' : ` (${singleLine(part ?? '')})`;
  return `${decision.padEnd(8)} ${singleLine(line)}: ${why}${where}`;
}
