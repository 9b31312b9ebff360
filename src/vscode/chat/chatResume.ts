/** `/resume` in the chat: lists the sessions with numbers, or resumes one of them. */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { resumeList } from '../sessions/resumeList.ts';

/**
 * Handles `/resume`. Without a prompt, lists the sessions and resolves with `undefined`. With a
 * number of the list or a session id, resumes the session, sends it the remaining text of the
 * prompt, and resolves with the session. Rejects with `UserFacing`.
 */
export async function resumeFromChat(
  { sessions }: Engine,
  prompt: string,
  stream: ChatResponseStream,
): Promise<Session | undefined> {
  const summaries = await sessions.list();
  const [argument = '', ...more] = prompt.trim().split(/\s+/);
  if (argument === '') {
    stream.markdown(resumeList(summaries, Date.now()));
    return undefined;
  }
  const number = /^#?(\d{1,6})$/.exec(argument)?.[1];
  const summary =
    number === undefined
      ? summaries.find(({ id }) => id === argument)
      : summaries[Number(number) - 1];
  if (summary === undefined)
    throw new UserFacing(`There is no session ${argument}.`, 'Use /resume to list the sessions.');
  const session = await sessions.resume(summary.id, { takesOver: true });
  const { phase } = session.state;
  const text = more.join(' ');
  if (text !== '' || phase === 'ended' || phase === 'paused')
    await session.say(text || 'Continue the work.');
  return session;
}
