/**
 * `/writeup`: asks the model once for its account, writes the reports of a session and shows its
 * brief.
 */
import type { ChatResponseStream } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { adviceOf } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';
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
  stream.progress('Asking the model for its account of the work');
  const failure = await session.writeAccount().then(
    () => '',
    (error: unknown) => `${plain(adviceOf(error), 300)}\n\n`,
  );
  const { file, brief } = await reports.writeup(session.id);
  stream.markdown(
    `${failure}${briefForChat(await reports.brief(session.id))}\n\nWritten to \`${brief}\` and \`${file}\`.\n\n`,
  );
  showButton(stream, 'helios.openBrief', 'Open Brief', session.id);
}
