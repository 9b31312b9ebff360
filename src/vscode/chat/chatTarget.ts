/**
 * `/target` in the chat: shows or changes the target of the session, which is the metric and the
 * value to reach.
 */
import type { ChatResponseStream } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';
import { targetHelp } from '../../presentation/sessions/sessionText.ts';

/**
 * Shows the target or, with a prompt, changes it. Returns whether it has changed, which wakes the
 * session. Rejects with `UserFacing` if there is no session, or if the prompt is not a valid target.
 */
export async function answerTarget(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<boolean> {
  if (session === undefined)
    throw new UserFacing('No session is active.', 'Start a goal, then change its target.');
  if (prompt.trim() !== '') {
    const before = session.state.target;
    const target = await session.setTarget(prompt.trim());
    const isNew = session.state.target !== before;
    stream.markdown(
      `The target is ${isNew ? 'now ' : ''}${plain(target)}. Results are ranked by it.\n\n`,
    );
    return isNew;
  }
  stream.markdown(plain(targetHelp(session.state)));
  return false;
}
