/**
 * `/sticky` and `/stickies` in the chat. Sticky notes are texts of the user that the model always
 * sees.
 */
import type { ChatResponseStream } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { parseSticky, stickyList } from '../inbox/stickies.ts';

/**
 * Adds, lists or removes sticky notes. Throws `UserFacing` if there is no session, or if there are
 * too many notes.
 */
export async function answerSticky(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<void> {
  if (session === undefined)
    throw new UserFacing('No session is active.', 'Start a goal, then add sticky notes.');
  const request = parseSticky(prompt);
  switch (request.kind) {
    case 'list':
      return stream.markdown(stickyList(session.state.stickies));
    case 'pin':
      return stream.markdown(
        `Added sticky note ${await session.pin(request.text)}. The model sees it from its next turn on.`,
      );
    case 'unpin':
      return stream.markdown(
        (await session.unpin(request.number))
          ? `Removed sticky note ${request.number}.`
          : `There is no sticky note ${request.number}.`,
      );
  }
}

/**
 * Handles `/stickies`, which lists the sticky notes, and `/stickies rm 2`, which removes one.
 * Throws `UserFacing`.
 */
export async function answerStickies(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<void> {
  if (parseSticky(prompt).kind === 'pin')
    throw new UserFacing(
      `Unexpected argument: ${prompt.trim()}.`,
      'Use /stickies rm 2 to remove a sticky note, or /sticky with a text to add one.',
    );
  await answerSticky(session, prompt, stream);
}
