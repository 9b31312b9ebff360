/** `/sticky` in the chat: notes of the person's that the model always sees. */
import type { ChatResponseStream } from 'vscode';
import type { Session } from '../agent/engine.ts';
import { UserFacing } from '../base/errors.ts';
import { parseSticky, stickyList } from './present/stickies.ts';

/** Throws `UserFacing` without a session, and where there are too many notes. */
export async function answerSticky(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<void> {
  if (session === undefined) throw new UserFacing('No session is going on.', 'Start a goal, then pin notes for it.');
  const ask = parseSticky(prompt);
  switch (ask.kind) {
    case 'list':
      return stream.markdown(stickyList(session.state.stickies));
    case 'pin':
      return stream.markdown(`Pinned as note ${await session.pin(ask.text)}. The model sees it from its next turn on.`);
    case 'unpin':
      return stream.markdown(
        (await session.unpin(ask.number)) ? `Note ${ask.number} is unpinned.` : `There is no note ${ask.number}.`,
      );
  }
}
