/** `/inbox` and `/answer` in the chat: the questions of a session, and answers to them. */
import type { ChatResponseStream } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { openQuestions } from '../../presentation/sessions/sessionText.ts';
import { UserFacing } from '../../base/errors.ts';
import { showLinks } from './chatStream.ts';
import { inboxList, parseAnswer } from '../inbox/inboxText.ts';
import { answerLinks, questionText } from '../inbox/questionParts.ts';

/** Shows the questions of the session. Throws `UserFacing` if there is no session. */
export function showInbox(session: Session | undefined, stream: ChatResponseStream): void {
  const { state, id } = required(session);
  stream.markdown(`${inboxList(state)}\n\n`);
  for (const question of openQuestions(state)) {
    stream.markdown(`${questionText(question, Date.now())}\n\n`);
    showLinks(stream, answerLinks(id, question));
  }
}

/**
 * Handles `/answer q1 use both GPUs`. The question's number (`q1`) may be omitted while exactly one
 * question is open.
 */
export async function answerFromChat(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<boolean> {
  const owner = required(session);
  const { questionId, answer } = parseAnswer(
    prompt,
    openQuestions(owner.state).map(({ id }) => id),
  );
  await owner.answer(questionId, answer);
  stream.markdown(`Answered ${questionId}.\n\n`);
  return true;
}

function required(session: Session | undefined): Session {
  if (session === undefined) throw new UserFacing('No session is active.', 'Start a goal first.');
  return session;
}
