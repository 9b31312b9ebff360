/** `/resume` in the chat: lists the sessions with numbers, or resumes one of them. */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { resumeList } from '../sessions/resumeList.ts';

/**
 * Resolves with the resumed session, or with `undefined` if the sessions were only listed. Throws
 * `UserFacing`.
 */
export async function resumeFromChat(
  { sessions }: Engine,
  prompt: string,
  stream: ChatResponseStream,
): Promise<Session | undefined> {
  const listed = await sessions.list();
  const [word = '', ...more] = prompt.trim().split(/\s+/);
  if (word === '') {
    stream.markdown(resumeList(listed, Date.now()));
    return undefined;
  }
  const number = /^#?(\d{1,6})$/.exec(word)?.[1];
  const wanted =
    number === undefined ? listed.find(({ id }) => id === word) : listed[Number(number) - 1];
  if (wanted === undefined)
    throw new UserFacing(`There is no session ${word}.`, 'Use /resume to list them.');
  const session = await sessions.resume(wanted.id, { takesOver: true });
  const { phase } = session.state;
  const text = more.join(' ');
  if (text !== '' || phase === 'ended' || phase === 'paused')
    await session.say(text || 'Continue the work.');
  return session;
}
