/** Asks for the goal at the terminal, if the command line has none. */
import { createInterface } from 'node:readline';
import { slashWord } from '../presentation/slashWords.ts';
import type { CliDeps } from './cliDeps.ts';
import { commandsText } from './commandTable.ts';

const question =
  'What is the goal: what to train or improve, and the number to reach? (/help lists the commands)\n> ';

/** Resolves with the goal; empty if the input ends or the line is empty. */
export async function askGoal({
  stdin,
  stdout,
}: Pick<CliDeps, 'stdin' | 'stdout'>): Promise<string> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    stdout.write(question);
    for await (const line of lines) {
      if (slashWord(line) === undefined) return line.trim();
      stdout.write(`${commandsText()}\n> `);
    }
    return '';
  } finally {
    lines.close();
  }
}
