/** Asks the user at the terminal to approve a tool call. */
import { createInterface } from 'node:readline';
import type { ApprovalAnswer, ApprovalRequest } from '../agent/contract/ports.ts';
import { capText } from '../base/text.ts';
import type { CliDeps } from './cliDeps.ts';
import { lineForTerminal, visibleText } from './screen/terminalText.ts';

const maxDetailChars = 1500;

/** Asks the user to approve the tool call. Rejects if `signal` is aborted or the input ends. */
export async function askUser(
  { title, effect, detail }: ApprovalRequest,
  { stdin, stdout }: Pick<CliDeps, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  // Removes nothing from the text, so that the user sees what they approve.
  stdout.write(
    `\n${lineForTerminal(title)} (${effect})\n${capText(visibleText(detail), maxDetailChars).text}\n`,
  );
  const lines = createInterface({ input: stdin, terminal: false });
  const answer = Promise.withResolvers<ApprovalAnswer>();
  const prompt = (): void =>
    void stdout.write('Approve? y: yes, a: always in this session, n: no > ');
  const onAbort = (): void => answer.reject(new Error('The question was withdrawn.'));
  lines.on('line', (line) => {
    const choice = answerOf(line);
    if (choice === undefined) prompt();
    else answer.resolve(choice);
  });
  lines.on('close', () => answer.reject(new Error('The input has ended.')));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  prompt();
  try {
    return await answer.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.close();
  }
}

function answerOf(line: string): ApprovalAnswer | undefined {
  switch (line.trim().toLowerCase()) {
    case 'y':
    case 'yes':
      return 'allow';
    case 'a':
    case 'always':
      return 'allow_session';
    case 'n':
    case 'no':
      return 'deny';
    default:
      return undefined;
  }
}
