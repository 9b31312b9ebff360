/** Asks the user at the terminal to approve a tool call. */
import { createInterface } from 'node:readline';
import type { ApprovalAnswer, ApprovalRequest } from '../agent/contract/ports.ts';
import { textSize } from '../base/text.ts';
import type { CliDeps } from './cliDeps.ts';
import { pagesOf } from './screen/pages.ts';
import { lineForTerminal, visibleText } from './screen/terminalText.ts';

/** Rows of a page that the question and the prompt need. */
const otherRows = 5;

/**
 * Asks the user to approve the tool call. Shows the whole call, page by page if it is longer than
 * the terminal, before an answer can approve it. Rejects if `signal` is aborted or the input ends.
 */
export async function askUser(
  { title, effect, detail }: ApprovalRequest,
  { stdin, stdout }: Pick<CliDeps, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const { columns = 80, rows = 24 } = stdout;
  // Removes nothing from the text, so that the user sees what they approve.
  const pages = pagesOf(visibleText(detail), {
    columns: Math.max(2, columns),
    rows: Math.max(1, rows - otherRows),
  });
  const size = pages.length === 1 ? '' : ` · ${textSize(detail)}`;
  stdout.write(`\n${lineForTerminal(title)} (${effect})${size}\n`);
  const lines = createInterface({ input: stdin, terminal: false });
  const answer = Promise.withResolvers<ApprovalAnswer>();
  const onAbort = (): void => answer.reject(new Error('The question was withdrawn.'));
  let shownPages = 0;
  const showPage = (): void => {
    stdout.write(`${pages[shownPages++]}\n`);
    stdout.write(promptAfter(shownPages, pages.length));
  };
  lines.on('line', (line) => {
    const choice = answerOf(line);
    if (choice === 'deny') answer.resolve(choice);
    else if (shownPages < pages.length) showPage();
    else if (choice === undefined) stdout.write(promptAfter(shownPages, pages.length));
    else answer.resolve(choice);
  });
  lines.on('close', () => answer.reject(new Error('The input has ended.')));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  showPage();
  try {
    return await answer.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.close();
  }
}

const promptAfter = (shownPages: number, pages: number): string =>
  shownPages === pages
    ? 'Approve? y: yes, a: always in this session, n: no > '
    : `Page ${shownPages} of ${pages}. Enter: next page, n: no > `;

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
