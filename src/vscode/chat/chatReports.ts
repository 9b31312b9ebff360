/** `/writeup`: writes the reports of a session and shows its brief. */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { showButton } from './chatStream.ts';
import { briefForChat } from '../reports/briefText.ts';

export async function answerWriteup(
  session: Session | undefined,
  { reports }: Pick<Engine, 'reports'>,
  stream: ChatResponseStream,
): Promise<void> {
  if (session === undefined) {
    stream.markdown(
      'No session is open in this window. Use “Helios: Open Brief” for earlier sessions.',
    );
    return;
  }
  const { file, brief } = await reports.writeup(session.id);
  stream.markdown(
    `${briefForChat(await reports.brief(session.id))}\n\nWritten to \`${brief}\` and \`${file}\`.\n\n`,
  );
  showButton(stream, 'helios.openBrief', 'Open Brief', session.id);
}
