/** `/help`, and the answer to an unknown slash command. */
import { extensions, type ChatResponseStream, type Uri } from 'vscode';
import { plain } from '../../base/markdown.ts';
import { unknownWordText } from '../../presentation/slashWords.ts';

interface ChatWord {
  readonly name: string;
  readonly description: string;
}

/** Returns the commands of the chat with their descriptions, as the manifest has them. */
function wordsOf(extensionUri: Uri): readonly ChatWord[] {
  const own = extensions.all.find((one) => one.extensionUri.toString() === extensionUri.toString());
  const manifest = own?.packageJSON as
    { contributes: { chatParticipants: readonly { commands: readonly ChatWord[] }[] } } | undefined;
  return manifest?.contributes.chatParticipants.flatMap(({ commands }) => commands) ?? [];
}

export function showHelp(extensionUri: Uri, stream: ChatResponseStream): void {
  const lines = wordsOf(extensionUri).map(
    ({ name, description }) => `- \`/${name}\`: ${plain(description, 200)}`,
  );
  stream.markdown(
    `A message without a slash is a goal, a question, or a message to the session that works.\n\n${lines.join('\n')}\n`,
  );
}

export function showUnknownWord(word: string, extensionUri: Uri, stream: ChatResponseStream): void {
  const names = wordsOf(extensionUri).map(({ name }) => name);
  stream.markdown(
    `${plain(unknownWordText(word, names), 300)}\n\nCommands: ${names.map((name) => `\`/${name}\``).join(', ')}.\n`,
  );
}
