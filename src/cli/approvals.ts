/** Asks the person at the terminal before a tool does something. */
import { createInterface } from 'node:readline/promises';
import type { ApprovalAnswer, ApprovalRequest } from '../agent/engine.ts';
import { capText, cleanText } from '../base/text.ts';
import type { CliWorld } from './world.ts';

const maxDetailChars = 1500;

/** Rejects when the question is no longer wanted, or the input has ended. */
export async function askPerson(
  { title, effect, detail }: ApprovalRequest,
  { stdin, stdout }: Pick<CliWorld, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  stdout.write(`\n${cleanText(title)} (${effect})\n${capText(cleanText(detail), maxDetailChars).text}\n`);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for (;;) {
      stdout.write('Allow? y yes, a always in this session, n no: ');
      const answer = answerOf(await nextLine(lines, signal));
      if (answer !== undefined) return answer;
    }
  } finally {
    lines.close();
  }
}

type Lines = ReturnType<typeof createInterface>;

function nextLine(lines: Lines, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => (): void => {
      lines.off('line', onLine);
      lines.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onLine = (line: string): void => settle(() => resolve(line))();
    const onClose = settle(() => reject(new Error('the input has ended')));
    const onAbort = settle(() => reject(new Error('no longer wanted')));
    lines.once('line', onLine);
    lines.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
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
