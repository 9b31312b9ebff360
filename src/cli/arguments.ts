/**
 * Parses and checks the options of `helios GOAL`. An invalid option is an error that names the
 * valid values.
 */
import { Option } from 'commander';
import type { DayLimits } from '../agent/budget/measures.ts';
import type { PermissionMode } from '../permissions/mode.ts';
import type { Budget } from '../agent/journal/events.ts';
import type { Effort } from '../models/effort.ts';
import { effortLevels } from '../presentation/models/effort.ts';
import { providerNames, type ProviderName } from '../compose/providers.ts';
import { keysHelp } from './auth/keys.ts';
import { budgetOf, limitOptions, type RawLimits } from './budgetArguments.ts';
import type { CliCommand, CommandContext } from './command.ts';
import { sessionWords } from './sessionReference.ts';
import { nonEmpty } from './values.ts';

export interface CliOptions {
  /** The goal or, with `--continue` or `--resume`, a message for that session. */
  readonly text: string | undefined;
  readonly provider: ProviderName | undefined;
  readonly claudeMode: 'cli' | 'api';
  /** The model: an id, `provider/id`, or an alias. */
  readonly model: string | undefined;
  readonly effort: Effort | undefined;
  readonly isPrint: boolean;
  /** True if the session works in the background, without this terminal. */
  readonly isDetached: boolean;
  /** True if the terminal is used only for output: no questions, and no lines that are redrawn. */
  readonly isHeadless: boolean;
  readonly isContinue: boolean;
  /** The session to resume: its id, the beginning of its id, or its number in `helios sessions`. */
  readonly resume: string | undefined;
  readonly home: string | undefined;
  readonly isJson: boolean;
  /** The permission mode; `allow` with `--yes`. Default: `ask`. */
  readonly mode: PermissionMode | undefined;
  /** The target in words: `val_loss < 0.3, mean over seeds 0-2`. */
  readonly target: string | undefined;
  /** Paths of files that are attached to the goal or the message. */
  readonly files: readonly string[];
  readonly budget: Budget;
  readonly dayLimits: DayLimits;
}

interface RawOptions extends RawLimits {
  readonly provider?: ProviderName;
  readonly claudeMode: 'cli' | 'api';
  readonly model?: string;
  readonly effort?: Effort;
  readonly print?: true;
  readonly detach?: true;
  readonly headless?: true;
  readonly continue?: true;
  readonly resume?: string;
  readonly target?: string;
  readonly file?: readonly string[];
  readonly home?: string;
  readonly json?: true;
  readonly yes?: true;
  readonly mode?: PermissionMode;
}

/** Works on the goal, and resolves with the exit code. */
export type GoalWork = (options: CliOptions, context: CommandContext) => Promise<number>;

const detachOption = new Option(
  '-d, --detach',
  'work in the background: the terminal is free at once, and can be closed',
).conflicts(['print', 'json']);

const headlessOption = new Option(
  '--headless',
  'ask nothing and print plain lines, as without a terminal: the mandate applies, or --yes',
);

/** Declares the arguments of `helios` without a command. */
export function declareGoal(helios: CliCommand, work: GoalWork): CliCommand {
  helios
    .description(
      'Works on a research goal on its own: plans, trains, measures, compares, until the goal is met.',
    )
    .argument('[goal...]', 'the goal, with a measurable target if there is one')
    .addOption(
      new Option(
        '-P, --provider <name>',
        'model provider (default: the one that answered last, else the first with a key)',
      ).choices(providerNames),
    )
    .addOption(
      new Option('--claude-mode <mode>', 'how to call Claude: by the claude command, or by the API')
        .choices(['cli', 'api'])
        .default('api'),
    )
    .option(
      '-m, --model <model>',
      'model: an id, provider/id, or a family (opus, sonnet, gpt, …) for its newest model',
      nonEmpty,
    )
    .addOption(new Option('--effort <level>', 'reasoning effort').choices(effortLevels))
    .option(
      '--target <text>',
      'the target, such as "val_loss < 0.3, mean over seeds 0-2" (default: read from the goal)',
      nonEmpty,
    )
    .option(
      '--file <path>',
      'attach a file to the goal or the message: text, image or PDF (can be repeated)',
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .addOption(
      new Option('-p, --print', 'answer a question read-only, then exit').conflicts([
        'continue',
        'resume',
        'json',
      ]),
    )
    .addOption(new Option('-c, --continue', 'resume the most recent session').conflicts('resume'))
    .option('-r, --resume <session>', `resume this session: ${sessionWords}`, nonEmpty)
    .option('--json', 'print only journal events, as JSON lines')
    .addOption(
      new Option(
        '--mode <mode>',
        'what the agent may do: ask you, only what the mandate covers, or everything (default: ask; mandate where nobody can be asked)',
      )
        .choices(['ask', 'mandate', 'allow'])
        .conflicts('yes'),
    )
    .option('--yes', 'allow every tool call: the same as --mode allow');
  helios.addOption(detachOption).addOption(headlessOption);
  for (const option of limitOptions()) helios.addOption(option);
  return helios
    .addHelpText('after', examples)
    .runs((context, words: string[], raw: RawOptions) => work(optionsOf(words, raw), context));
}

function optionsOf(words: readonly string[], raw: RawOptions): CliOptions {
  const text = words.join(' ').trim();
  return {
    text: text === '' ? undefined : text,
    provider: raw.provider,
    claudeMode: raw.claudeMode,
    model: raw.model,
    effort: raw.effort,
    isPrint: raw.print === true,
    isDetached: raw.detach === true,
    isHeadless: raw.headless === true,
    isContinue: raw.continue === true,
    resume: raw.resume,
    home: raw.home,
    isJson: raw.json === true,
    mode: raw.yes === true ? 'allow' : raw.mode,
    target: raw.target,
    files: raw.file ?? [],
    budget: budgetOf(raw),
    dayLimits: raw.budgetDay ?? {},
  };
}

const examples = `
Examples:
  helios "train a 125M GPT on TinyStories to loss < 1.0" --yes --budget-usd 5
  helios --mode mandate "bring val_loss below 0.3" > night.log &   unattended, within the mandate
  helios --yes --budget-experiment "$0.50" --budget-day "$20" "bring val_loss below 0.3"
  helios -P demo --yes "Bring val_loss below 1.94 on the demo task"
  helios --continue "use lr 0.1"        send a message to the most recent session
  helios --resume 2                     resume that session (a number, an id, or its beginning)
  helios --print "what does train.py log?"  one read-only answer, stored as a session
  echo "loss < 0.5 on train.py" | helios --yes --json > journal.jsonl
  helios machine add gpu1 ada@gpu1:2222 add a machine; also Slurm clusters and containers
  helios -m opus --effort high "…"      the newest of a model family; also an id, or provider/id
Quote a goal that begins with the name of a command.

${keysHelp}
Addresses: ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, ANTHROPIC_BEDROCK_BASE_URL, AWS_REGION, CHATGPT_BASE_URL,
OPENAI_BASE_URL (for --provider compatible: the endpoint).
Exit code: 0 goal met or best found, 2 ended otherwise, 1 error, 130 interrupted.
Runs continue after helios exits.`;
