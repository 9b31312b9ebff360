/** Asks the user at the terminal to approve a tool call. */
import { createInterface } from 'node:readline';
import type { ApprovalAnswer, ApprovalRequest } from '../agent/contract/ports.ts';
import { capText, cleanText } from '../base/text.ts';
import type { CliDeps } from './cliDeps.ts';

const maxDetailChars = 1500;

/**
 * Asks the user to approve the tool call. Rejects if the question is withdrawn or the input has
 * ended.
 */
export async function askUser(
  { title, effect, detail }: ApprovalRequest,
  { stdin, stdout }: Pick<CliDeps, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  stdout.write(
    `\n${cleanText(title)} (${effect})\n${capText(cleanText(detail), maxDetailChars).text}\n`,
  );
  const lines = createInterface({ input: stdin, terminal: false });
  const answer = Promise.withResolvers<ApprovalAnswer>();
  const prompt = (): void => void stdout.write('Approve? y yes, a always in this session, n no: ');
  const onAbort = (): void => answer.reject(new Error('The question was withdrawn.'));
  lines.on('line', (line) => {
    const given = answerOf(line);
    if (given === undefined) prompt();
    else answer.resolve(given);
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
