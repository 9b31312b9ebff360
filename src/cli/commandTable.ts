/**
 * The commands of `helios`. To add a command, add a file in `commands/`, and an entry in
 * `declarations`.
 */
import { UserFacing } from '../base/errors.ts';
import { editDistance, nearMatches } from '../base/nearMatches.ts';
import { declareGoal, type GoalWork } from './arguments.ts';
import { CliCommand, type CommandLine } from './command.ts';
import { declareActions } from './commands/actions.ts';
import { declareAllow } from './commands/allow.ts';
import { declareAnnotate, declareTag } from './commands/annotate.ts';
import { declareApprovals } from './commands/approvals.ts';
import { declareAuth } from './commands/auth.ts';
import { declareClean } from './commands/clean.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareExport } from './commands/export.ts';
import { declareImport } from './commands/import.ts';
import { declareInit } from './commands/init.ts';
import { declareKill } from './commands/kill.ts';
import { declareMachine, declareMachines } from './commands/machine.ts';
import { declareMandate } from './commands/mandate.ts';
import { declareMay } from './commands/may.ts';
import { declareModels } from './commands/models.ts';
import { declareNotify } from './commands/notify.ts';
import { declarePromote } from './commands/promote.ts';
import { declareReplay } from './commands/replay.ts';
import { declareReport } from './commands/report.ts';
import { declareReproduce } from './commands/reproduce.ts';
import { declareSearch } from './commands/search.ts';
import { declareSessions } from './commands/sessions.ts';
import { declareShare } from './commands/share.ts';
import {
  declareAnswer,
  declareBudget,
  declareModel,
  declarePause,
  declarePin,
  declareRename,
  declareSay,
  declareStop,
} from './commands/steer.ts';
import { declareUndo } from './commands/undo.ts';
import { declareWatch } from './commands/watch.ts';
import { slashWord, unknownWordText } from '../presentation/slashWords.ts';

const declarations: Readonly<Record<string, (helios: CliCommand) => CliCommand>> = {
  sessions: declareSessions,
  replay: declareReplay,
  actions: declareActions,
  report: declareReport,
  share: declareShare,
  init: declareInit,
  import: declareImport,
  allow: declareAllow,
  approvals: declareApprovals,
  notify: declareNotify,
  promote: declarePromote,
  undo: declareUndo,
  reproduce: declareReproduce,
  search: declareSearch,
  watch: declareWatch,
  say: declareSay,
  answer: declareAnswer,
  pin: declarePin,
  rename: declareRename,
  tag: declareTag,
  annotate: declareAnnotate,
  pause: declarePause,
  stop: declareStop,
  budget: declareBudget,
  model: declareModel,
  kill: declareKill,
  export: declareExport,
  clean: declareClean,
  doctor: declareDoctor,
  machine: declareMachine,
  machines: declareMachines,
  mandate: declareMandate,
  may: declareMay,
  models: declareModels,
  auth: declareAuth,
};

/** Returns the program with every command, but without the arguments for a goal. */
export function declareCommands(line: CommandLine): CliCommand {
  const helios = createHelios(line);
  for (const declare of Object.values(declarations)) declare(helios);
  return helios;
}

/**
 * Returns the program for `argv`: if the first word names a command, the program with that command;
 * otherwise, the program for a goal. A goal that begins with the name of a command must be quoted.
 * Throws `UserFacing` if the first word looks like a mistyped command, because an unwanted session
 * costs more than typing the command again.
 */
export function readerOf(argv: readonly string[], line: CommandLine, work: GoalWork): CliCommand {
  const word = argv[firstWordAt(argv)] ?? '';
  const helios = createHelios(line);
  if (Object.hasOwn(declarations, word)) {
    declarations[word]?.(helios);
    return helios.hook('preSubcommand', (_helios, command) => {
      const needsWords = command.registeredArguments.some(({ required }) => required);
      if (needsWords && helios.args.length === 1) command.help();
    });
  }
  rejectTypo(word, [...Object.keys(declarations), 'help']);
  rejectForeignCommand(argv.slice(firstWordAt(argv)));
  return declareGoal(helios, work)
    .version(line.deps.version, '-v, --version', 'print the version')
    .configureHelp({ visibleCommands: () => [...declareCommands(line).commands] });
}

/**
 * Returns the arguments of `helios help COMMAND` and `helios /help` as options. Returns a goal such
 * as `help me train it` unchanged.
 */
export function helpArguments(argv: readonly string[]): readonly string[] {
  const at = firstWordAt(argv);
  const [word = '', ...asked] = argv.slice(at);
  if (!/^\/?help$/.test(word)) return argv;
  const isHelp = asked.length <= 1 || Object.hasOwn(declarations, asked[0] ?? '');
  return isHelp ? [...argv.slice(0, at), ...asked, '--help'] : argv;
}

export const commandsText = (): string =>
  `Commands of the terminal have no slash: ${Object.keys(declarations).join(', ')}. See helios help.`;

/** Throws `UserFacing` for a goal that begins with a slash word, because it is meant as a command. */
export function rejectSlashWord(text = ''): void {
  const word = slashWord(text);
  if (word === undefined) return;
  throw new UserFacing(unknownWordText(word, Object.keys(declarations), 'helios '), commandsText());
}

const widestHelp = 120;

function createHelios(line: CommandLine): CliCommand {
  const { stdout } = line.deps;
  return new CliCommand('helios', line)
    .helpOption('-h, --help', 'print this help')
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      getOutHelpWidth: () => Math.min(stdout.columns ?? widestHelp, widestHelp),
    });
}

/** Returns the index of the first argument after `--home`, which may stand before a command. */
function firstWordAt([word = '', ...more]: readonly string[]): number {
  if (word === '--home') return 2 + firstWordAt(more.slice(1));
  return word.startsWith('--home=') ? 1 + firstWordAt(more) : 0;
}

function rejectTypo(word: string, names: readonly string[]): void {
  if (!/^(?!help$)[a-z]{3,}$/i.test(word)) return;
  const near = nearMatches(word, names).filter(
    (name) => editDistance(word.toLowerCase(), name) <= 2,
  );
  if (near.length === 0) return;
  throw new UserFacing(
    `There is no command “${word}”. Did you mean helios ${near.join(', or helios ')}?`,
    `Write a goal in quotes, with more than one word: helios "${word} …"`,
  );
}

/** Commands of other programs, with the command of `helios` that does the same. */
const synonyms: Readonly<Record<string, string>> = {
  list: 'sessions',
  ls: 'sessions',
  runs: 'sessions',
  jobs: 'sessions',
  ps: 'sessions',
  show: 'replay',
  metrics: 'report',
  best: 'report',
  status: 'sessions',
  history: 'sessions',
  ledger: 'report',
  results: 'report',
  experiments: 'report',
  log: 'replay',
  logs: 'replay',
  resume: '--continue',
  continue: '--continue',
  config: 'init',
};

/** Throws `UserFacing` for a goal of one word that names a command elsewhere. */
function rejectForeignCommand([word = '', next = '-']: readonly string[]): void {
  const meant = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined;
  if (meant === undefined || !next.startsWith('-')) return;
  throw new UserFacing(
    `There is no command “${word}”. Did you mean helios ${meant}?`,
    `If it is the goal, write helios -- ${word}`,
  );
}
