/** Commands of the Inbox view: for questions of the agent and sticky notes of the user. */
import { window } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { openQuestions } from '../../presentation/sessions/sessionText.ts';
import type { Question } from '../../agent/journal/state.ts';
import { UserFacing } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { pickGoing, pickOne, type Choice } from '../window/pick.ts';
import { questionOf, sessionIdOf, stickyOf } from '../ui/commandTarget.ts';
import { formatSpan } from '../../base/span.ts';

export function inboxCommands(deps: WindowDeps): Handlers {
  return {
    'helios.answerQuestion': (argument, answer) => answerQuestion(deps, argument, answer),
    'helios.pinNote': (argument) => pinNote(deps, argument),
    'helios.unpinNote': (argument) => unpinNote(deps, argument),
  };
}

interface Asked {
  readonly session: Session;
  readonly question: Question;
}

async function answerQuestion(deps: WindowDeps, argument: unknown, given: unknown): Promise<void> {
  const asked = await askedBy(deps, argument);
  if (asked === undefined) return;
  const { session, question } = asked;
  const answer = typeof given === 'string' ? given : await answerFor(question);
  if (answer === undefined) return;
  await session.answer(question.id, answer);
  window.setStatusBarMessage(`Helios: answered “${oneLine(question.text, 60)}”`, 5_000);
}

async function askedBy(
  { host, sessions }: WindowDeps,
  argument: unknown,
): Promise<Asked | undefined> {
  await host.get();
  const only = sessionIdOf(argument);
  const open = sessions
    .going()
    .filter(({ id }) => only === undefined || id === only)
    .flatMap((session) => openQuestions(session.state).map((question) => ({ session, question })));
  const wanted = questionOf(argument);
  if (wanted !== undefined) {
    const found = open.find(
      ({ session, question }) =>
        session.id === wanted.sessionId && question.id === wanted.questionId,
    );
    if (found === undefined) throw new UserFacing('This question is no longer open.');
    return found;
  }
  if (open.length === 0)
    throw new UserFacing('No question is open.', 'Questions of the agent appear in the Inbox.');
  return pickOne(open.map(choiceOf), 'Answer which question?');
}

const choiceOf = (asked: Asked): Choice<Asked> => ({
  label: oneLine(asked.question.text, 100),
  detail: `default in ${formatSpan(asked.question.deadlineMs - Date.now())}: ${oneLine(asked.question.fallback, 80)}`,
  value: asked,
});

/** Asks the user for an answer to the question. Resolves with `undefined` when the user cancels. */
async function answerFor({ text, options, fallback }: Question): Promise<string | undefined> {
  const title = oneLine(text, 120);
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
    (await pickGoing(deps.sessions, 'Add a sticky note to which session?'));
  if (session === undefined) return;
  const text = await window.showInputBox({
    title: oneLine(session.state.goal, 60),
    prompt: 'A text that the model always sees, from its next turn on',
    ignoreFocusOut: true,
  });
  if (text !== undefined && text.trim() !== '') await session.pin(text.trim());
}

async function unpinNote(deps: WindowDeps, argument: unknown): Promise<void> {
  const wanted = stickyOf(argument);
  const session = wanted && deps.sessions.get(wanted.sessionId);
  if (wanted === undefined || session === undefined) return;
  if (!(await session.unpin(wanted.number)))
    throw new UserFacing(`Sticky note ${wanted.number} no longer exists.`);
}
