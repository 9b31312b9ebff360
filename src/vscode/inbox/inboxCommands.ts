/** Commands of the Inbox view: for questions of the agent and sticky notes of the user. */
import { window } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { openQuestions, sessionName } from '../../presentation/sessions/sessionText.ts';
import type { Question } from '../../agent/journal/state.ts';
import { UserFacing } from '../../base/errors.ts';
import { markHidden } from '../../base/hiddenCharacters.ts';
import { oneLine } from '../../base/text.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { pickGoing, pickOne, type Choice } from '../window/pick.ts';
import { questionOf, sessionIdOf, stickyOf } from '../ui/commandTarget.ts';
import { formatSpan } from '../../base/span.ts';

export function inboxCommands(deps: WindowDeps) {
  return {
    'helios.answerQuestion': (argument, answer) => answerQuestion(deps, argument, answer),
    'helios.pinNote': (argument) => pinNote(deps, argument),
    'helios.unpinNote': (argument) => unpinNote(deps, argument),
  } satisfies Handlers;
}

/** Returns the option that a number names, counted from zero. */
const optionOf = ({ options }: Question, index: unknown): string | undefined =>
  typeof index === 'number' ? options[index] : undefined;

interface OpenQuestion {
  readonly session: Session;
  readonly question: Question;
}

async function answerQuestion(
  deps: WindowDeps,
  argument: unknown,
  givenAnswer: unknown,
): Promise<void> {
  const openQuestion = await findQuestion(deps, argument);
  if (openQuestion === undefined) return;
  const { session, question } = openQuestion;
  const answer = optionOf(question, givenAnswer) ?? (await answerFor(question, deps));
  if (answer === undefined) return;
  await session.answer(question.id, answer);
  window.setStatusBarMessage(`Helios: answered “${oneLine(question.text, 60)}”`, 5_000);
}

async function findQuestion(
  { host, sessions }: WindowDeps,
  argument: unknown,
): Promise<OpenQuestion | undefined> {
  await host.get();
  const sessionId = sessionIdOf(argument);
  const open = sessions
    .going()
    .filter(({ id }) => sessionId === undefined || id === sessionId)
    .flatMap((session) => openQuestions(session.state).map((question) => ({ session, question })));
  const target = questionOf(argument);
  if (target !== undefined) {
    const found = open.find(
      ({ session, question }) =>
        session.id === target.sessionId && question.id === target.questionId,
    );
    if (found === undefined) throw new UserFacing('This question is no longer open.');
    return found;
  }
  if (open.length === 0)
    throw new UserFacing('No question is open.', 'Questions of the agent appear in the Inbox.');
  return pickOne(open.map(choiceOf), 'Answer which question?');
}

const choiceOf = (openQuestion: OpenQuestion): Choice<OpenQuestion> => ({
  label: oneLine(openQuestion.question.text, 100),
  detail: `default in ${formatSpan(openQuestion.question.deadlineMs - Date.now())}: ${oneLine(openQuestion.question.fallback, 80)}`,
  value: openQuestion,
});

/** Maximum length of a question in the title of a list. Longer ones are opened as a document. */
const maxTitleChars = 120;

/** Asks the user for an answer to the question. Resolves with `undefined` when the user cancels. */
async function answerFor(
  { id, text, options, fallback }: Question,
  { documents }: WindowDeps,
): Promise<string | undefined> {
  const title = oneLine(text, maxTitleChars);
  if (text.length > maxTitleChars)
    await documents.open(`/helios-question/${id}/Question`, () =>
      Promise.resolve(`${markHidden(text)}\n`),
    );
  const write = 'Write an Answer…';
  if (options.length > 0) {
    const items = [...options, write].map((label) => ({
      label,
      ...(label === fallback && { description: 'default' }),
    }));
    const picked = await window.showQuickPick(items, { title, ignoreFocusOut: true });
    if (picked === undefined || picked.label !== write) return picked?.label;
  }
  const answer = await window.showInputBox({
    title,
    prompt: 'Your answer, which the session reads on its next turn',
    placeHolder: oneLine(fallback, 200),
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === '' ? 'Write an answer, or press Escape.' : undefined,
  });
  return answer?.trim();
}

async function pinNote(deps: WindowDeps, argument: unknown): Promise<void> {
  await deps.host.get();
  const id = sessionIdOf(argument);
  const session =
    (id === undefined ? undefined : deps.sessions.get(id)) ??
    (await pickGoing(deps.sessions, 'Select a session for the sticky note'));
  if (session === undefined) return;
  const text = await window.showInputBox({
    title: oneLine(sessionName(session.state), 60),
    prompt: 'A text that the model always sees, from its next turn on',
    ignoreFocusOut: true,
  });
  if (text !== undefined && text.trim() !== '') await session.pin(text.trim());
}

async function unpinNote(deps: WindowDeps, argument: unknown): Promise<void> {
  const target = stickyOf(argument);
  const session = target && deps.sessions.get(target.sessionId);
  if (target === undefined || session === undefined) return;
  if (!(await session.unpin(target.number)))
    throw new UserFacing(`Sticky note ${target.number} no longer exists.`);
}
