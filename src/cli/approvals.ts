/** Asks the user at the terminal to approve a tool call. */
import { createInterface } from 'node:readline';
import type { ApprovalAnswer, ApprovalRequest } from '../agent/contract/ports.ts';
import { oneLine, textSize } from '../base/text.ts';
import { slashWord } from '../presentation/slashWords.ts';
import { Asking } from './asking.ts';
import type { CliDeps } from './cliDeps.ts';
import { pagesOf } from './screen/pages.ts';
import { lineForTerminal, visibleText } from './screen/terminalText.ts';
import { dropTyped } from './screen/typedAhead.ts';

/** Rows of a page that the question and the prompt need. */
const otherRows = 5;

/**
 * Asks the user to approve the tool call. Shows the whole call, page by page if it is longer than
 * the terminal, before an answer can approve it. Text that was typed before the question is
 * discarded; a line that is no answer is kept for the agent. Rejects if `signal` is aborted or the input ends; shows nothing if `signal` is already
 * aborted.
 */
export async function askUser(
  { title, effect, detail, offer }: ApprovalRequest,
  { stdin, stdout }: Pick<CliDeps, 'stdin' | 'stdout'>,
  signal: AbortSignal,
  asking: Asking = new Asking(),
): Promise<ApprovalAnswer> {
  const { columns = 80, rows = 24 } = stdout;
  // Removes nothing from the text, so that the user sees what they approve.
  const pages = pagesOf(visibleText(detail), {
    columns: Math.max(2, columns),
    rows: Math.max(1, rows - otherRows),
  });
  const size = pages.length === 1 ? '' : ` · question of ${textSize(detail)}`;
  await dropTyped(stdin);
  if (signal.aborted) throw withdrawn();
  stdout.write(`\n${lineForTerminal(title)} (${effect})${size}\n`);
  const lines = createInterface({ input: stdin, terminal: false });
  const answer = Promise.withResolvers<ApprovalAnswer>();
  const onAbort = (): void => answer.reject(withdrawn());
  const answers = answersOf(offer);
  let shownPages = 0;
  const showPrompt = (): void => {
    const isWhole = shownPages === pages.length;
    stdout.write(
      isWhole
        ? promptOf(answers)
        : `Page ${shownPages} of ${pages.length}. Enter: next page, n: no > `,
    );
  };
  const showPage = (): void => {
    stdout.write(`${pages[shownPages++]}\n`);
    showPrompt();
  };
  lines.on('line', (line) => {
    const choice = answerIn(line, answers);
    const isOther = choice === undefined && line.trim() !== '';
    if (isOther) stdout.write(`${otherText(line, asking)}\n`);
    if (choice === 'deny') answer.resolve(choice);
    else if (shownPages < pages.length && !isOther) showPage();
    else if (choice === undefined) showPrompt();
    else answer.resolve(choice);
  });
  asking.begin(() => {
    stdout.write('no\n');
    answer.resolve('deny');
  });
  lines.on('close', () => answer.reject(new Error('The input has ended.')));
  signal.addEventListener('abort', onAbort, { once: true });
  showPage();
  let how: Parameters<Asking['end']>[0] = 'withdrawn';
  try {
    const given = await answer.promise;
    how = 'answered';
    return given;
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.close();
    asking.end(how);
  }
}

/**
 * Handles a line that is no answer: returns help if the line asks for it; otherwise stores the line
 * for the agent, and returns a hint. Both texts are for the user.
 */
function otherText(line: string, asking: Asking): string {
  if (slashWord(line) === 'help')
    return 'Answer with a letter of the list, or press Ctrl+C for no. Another line goes to the agent after your answer.';
  asking.keep(line);
  return 'Not an answer. Answer first; what you typed goes to the agent afterwards.';
}

const withdrawn = (): Error => new Error('The question was withdrawn.');

interface CliAnswer {
  readonly answer: ApprovalAnswer;
  /** The word that gives the answer; its first letter is enough. */
  readonly word: string;
  readonly text: string;
}

const maxLabelChars = 60;

/** Returns the answers that the question offers, in the order of the prompt. */
function answersOf(offer: ApprovalRequest['offer']): readonly CliAnswer[] {
  const label = lineForTerminal(oneLine(offer?.label ?? '', maxLabelChars));
  const texts = {
    session: { word: 'session', text: `\`${label}\` for this session` },
    workspace: { word: 'workspace', text: 'always in this folder' },
    always: { word: 'always', text: 'always' },
  };
  const remembered = (offer?.scopes ?? []).map((scope) => {
    const answer: ApprovalAnswer = `allow_${scope}`;
    return { answer, ...texts[scope] };
  });
  return [
    { answer: 'allow', word: 'yes', text: 'once' },
    ...remembered,
    { answer: 'deny', word: 'no', text: 'no' },
  ];
}

const promptOf = (answers: readonly CliAnswer[]): string =>
  `Approve? ${answers.map(({ word, text }) => `${word.charAt(0)}: ${text}`).join(', ')} > `;

function answerIn(line: string, answers: readonly CliAnswer[]): ApprovalAnswer | undefined {
  const typed = line.trim().toLowerCase();
  return answers.find(({ word }) => typed === word || typed === word.charAt(0))?.answer;
}
