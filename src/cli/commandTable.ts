/** Every sub-command of `helios`: a new one is a file in `commands/` and a line here. */
import { UserFacing } from '../base/errors.ts';
import { editDistance, nearMatches } from '../base/nearMatches.ts';
import type { CliCommand } from './command.ts';
import { authCommand } from './commands/auth.ts';
import { cleanCommand } from './commands/clean.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { initCommand } from './commands/init.ts';
import { killCommand } from './commands/kill.ts';
import { machineCommand } from './commands/machine.ts';
import { modelsCommand } from './commands/models.ts';
import { notifyCommand } from './commands/notify.ts';
import { promoteCommand } from './commands/promote.ts';
import { replayCommand } from './commands/replay.ts';
import { reportCommand } from './commands/report.ts';
import { reproduceCommand } from './commands/reproduce.ts';
import { searchCommand } from './commands/search.ts';
import { sessionsCommand } from './commands/sessions.ts';
import { watchCommand } from './commands/watch.ts';
import { takeHome } from './homeOption.ts';

export const commandTable: readonly CliCommand[] = [
  sessionsCommand,
  replayCommand,
  reportCommand,
  initCommand,
  notifyCommand,
  promoteCommand,
  reproduceCommand,
  searchCommand,
  watchCommand,
  killCommand,
  exportCommand,
  cleanCommand,
  doctorCommand,
  machineCommand,
  modelsCommand,
  authCommand,
];

export interface AskedCommand {
  readonly command: CliCommand;
  /** As it was written: a command may have several names. */
  readonly name: string;
  readonly words: readonly string[];
  /** As it stands on the command line; `undefined` when it does not. */
  readonly home: string | undefined;
  readonly isHelp: boolean;
}

/**
 * The command that the first word names; `undefined` when it names none. A goal that begins with such a word is written in
 * quotes. Throws `UserFacing` for a word that is a slip of the finger away from a command: a session that nobody wanted
 * costs more than writing it again.
 */
export function askedCommand(
  argv: readonly string[],
  table: readonly CliCommand[] = commandTable,
): AskedCommand | undefined {
  const { rest, home } = takeHome(argv);
  const [name = '', ...words] = rest;
  const command = table.find((each) => namesOf(each).includes(name));
  if (command === undefined) {
    mustBeNoSlip(name, table);
    return undefined;
  }
  const options = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const isBare = words.length === 0 && (command.needsWords ?? []).includes(name);
  return { command, name, words, home, isHelp: isBare || options.includes('--help') || options.includes('-h') };
}

const namesOf = ({ name, otherNames = [] }: CliCommand): readonly string[] => [name, ...otherNames];

function mustBeNoSlip(word: string, table: readonly CliCommand[]): void {
  if (!/^[a-z]{4,}$/i.test(word)) return;
  const names = table.flatMap(namesOf);
  const near = nearMatches(word, names).filter((name) => editDistance(word.toLowerCase(), name) <= 2);
  if (near.length === 0) return;
  throw new UserFacing(
    `There is no command “${word}”. Did you mean helios ${near.join(', or helios ')}?`,
    `A goal is written in quotes, with more than one word: helios "${word} …"`,
  );
}

const nameColumns = 24;

/** The list of commands for `helios --help`. */
export const commandList = (table: readonly CliCommand[] = commandTable): string =>
  `\nCommands (each has --help):\n${table.map(listLine).join('')}`;

function listLine({ name, usage, about }: CliCommand): string {
  const call = `${name} ${usage}`.trim();
  const indent = ' '.repeat(nameColumns + 2);
  return call.length < nameColumns ? `  ${call.padEnd(nameColumns)}${about}\n` : `  ${call}\n${indent}${about}\n`;
}
