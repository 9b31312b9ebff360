/** `/memory` in the chat: the notes of the session, or one note. */
import type { ChatResponseStream } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { codeBlock, plain } from '../../base/markdown.ts';

/**
 * Shows the note or the folder of notes at the path `prompt`. Rejects with `UserFacing` if there is
 * no session.
 */
export async function showMemory(
  session: Session | undefined,
  prompt: string,
  stream: ChatResponseStream,
): Promise<void> {
  if (session === undefined)
    throw new UserFacing('No session is open in this window.', 'The Memory view shows all notes.');
  const path = prompt.trim();
  if (path !== '') {
    const note = await session.memory.read(path.startsWith('/') ? path : `/${path}`);
    stream.markdown(`**${plain(note.gist, 300)}**\n\n`);
    if (note.content !== null && note.content !== '')
      stream.markdown(`${codeBlock(note.content, 'markdown')}\n`);
    return;
  }
  const nodes = await session.memory.tree();
  const lines = nodes.map((node) => `- \`${node.path}\`: ${plain(node.gist, 200)}`);
  stream.markdown(lines.length === 0 ? 'There are no notes yet.\n' : `${lines.join('\n')}\n`);
}
