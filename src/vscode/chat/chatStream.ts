/** Writes the parts of a transcript to VS Code's chat stream. */
import { basename } from 'node:path';
import { MarkdownString, Uri, type ChatResponseStream } from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import type { CommandId } from '../ui/contributions.ts';
import type { ChatPart } from '../sessions/transcript.ts';
import type { Refusal } from '../models/preconditions.ts';

export function showPart(stream: ChatResponseStream, part: ChatPart): void {
  switch (part.kind) {
    case 'text':
      return stream.markdown(part.markdown);
    case 'progress':
      return stream.progress(part.text);
    case 'block':
      return stream.markdown(withIcons(`\n\n${part.markdown}\n\n`));
    case 'line':
      return showLine(stream, part);
  }
}

/**
 * Shows a line, followed by links to its files. Every part of the line is Markdown with theme
 * icons; if the parts had different options, VS Code would put the links into separate paragraphs.
 */
function showLine(
  stream: ChatResponseStream,
  { icon, markdown, files = [], edited, button, link }: ChatPart & { kind: 'line' },
): void {
  const words = withoutFormulas(markdown);
  const target = link === undefined ? '' : ` [${link.title}](command:${link.command})`;
  const show = (text: string): void => {
    const part = withIcons(text);
    if (link !== undefined || edited !== undefined)
      part.isTrusted = { enabledCommands: link === undefined ? [showEdit] : [link.command] };
    stream.markdown(part);
  };
  show(`\n\n$(${icon}) ${words}${files.length > 0 ? ' ' : ''}${target}`);
  for (const file of files) {
    const uri = Uri.file(file);
    stream.anchor(uri, basename(file));
    stream.reference(uri);
    if (edited !== undefined) show(` [Open Changes](${editAddress(edited, file)}) `);
  }
  show('\n\n');
  if (button !== undefined) showButton(stream, button.command, button.title);
}

/** Command that shows the changes of a file by a session. */
const showEdit: CommandId = 'helios.openEdit';

const editAddress = (id: SessionId, file: string): string =>
  `command:${showEdit}?${encodeURIComponent(JSON.stringify([id, file]))}`;

/**
 * Returns Markdown without dollar signs, except those of amounts. The dollar sign of an icon would
 * begin a formula, which the next dollar sign ends, even an escaped one.
 */
const withoutFormulas = (markdown: string): string => markdown.replace(/\\?\$(?!\d)/g, '&#36;');

/** Returns Markdown in which theme icons work, but command links and HTML do not. */
export function withIcons(markdown: string): MarkdownString {
  return new MarkdownString(markdown, true);
}

export function showButton(
  stream: ChatResponseStream,
  command: CommandId,
  title: string,
  ...args: readonly unknown[]
): void {
  stream.button({ command, title, arguments: [...args] });
}

export function showRefusal(stream: ChatResponseStream, { markdown, buttons }: Refusal): void {
  stream.markdown(markdown);
  for (const { command, title } of buttons) showButton(stream, command, title);
}
