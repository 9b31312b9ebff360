/** Writes the parts of a transcript to VS Code's chat stream. */
import { basename } from 'node:path';
import { MarkdownString, Uri, type ChatResponseStream } from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import { linkLine, type CommandLink } from '../ui/commandLinks.ts';
import type { CommandId } from '../ui/contributions.ts';
import { retryText } from '../../presentation/sessions/retryText.ts';
import type { ChatPart } from '../sessions/chatPart.ts';
import type { Refusal } from '../models/preconditions.ts';

type Line = ChatPart & { kind: 'line' };

/** Writes parts to the stream. Lines that follow each other become one paragraph. */
export class PartWriter {
  readonly #stream: ChatResponseStream;
  #isInLines = false;

  constructor(stream: ChatResponseStream) {
    this.#stream = stream;
  }

  write(part: ChatPart): void {
    const isLine = part.kind === 'line' && isPlain(part);
    if (isLine) {
      const words = `$(${part.icon}) ${withoutFormulas(part.markdown)}`;
      this.#stream.markdown(withIcons(`${this.#isInLines ? '\\\n' : '\n\n'}${words}`));
    } else {
      if (this.#isInLines) this.#stream.markdown(withIcons('\n\n'));
      showPart(this.#stream, part);
    }
    this.#isInLines = isLine;
  }
}

/** Returns whether a line has nothing but its text. */
const isPlain = ({ markdown, files = [], edited, button, link }: Line): boolean =>
  files.length === 0 &&
  edited === undefined &&
  button === undefined &&
  link === undefined &&
  !markdown.includes('\n');

function showPart(stream: ChatResponseStream, part: ChatPart): void {
  switch (part.kind) {
    case 'text':
      return stream.markdown(part.markdown);
    case 'progress':
      return stream.progress(part.text);
    case 'retry':
      return stream.progress(retryText(part));
    case 'block':
      return stream.markdown(withIcons(`\n\n${part.markdown}\n\n`));
    case 'line':
      return showLine(stream, part);
    case 'links':
      return showLinks(stream, part.links);
  }
}

/**
 * Shows a line, followed by its files. Links that run commands stand in a paragraph of their own,
 * because VS Code merges parts of the same trust, and no other text may be in Markdown that may run
 * commands.
 */
function showLine(
  stream: ChatResponseStream,
  { icon, markdown, files = [], edited, button, link }: Line,
): void {
  const words = withoutFormulas(markdown);
  stream.markdown(withIcons(`\n\n$(${icon}) ${words}${files.length > 0 ? ' ' : ''}`));
  for (const file of files) {
    const uri = Uri.file(file);
    stream.anchor(uri, basename(file));
    stream.reference(uri);
  }
  stream.markdown(withIcons('\n\n'));
  const links = edited === undefined ? [] : editLinks(edited, files);
  showLinks(stream, link === undefined ? links : [link, ...links]);
  if (button !== undefined) showButton(stream, button.command, button.title);
}

/** Returns links to the changes of the files, numbered in their order if there are several. */
const editLinks = (id: SessionId, files: readonly string[]): readonly CommandLink[] =>
  files.map((file, index) => ({
    title: files.length === 1 ? 'Open Changes' : `Open Changes ${index + 1}`,
    args: [id, file],
  }));

/** Shows links that run commands, on a line of their own. */
export function showLinks(stream: ChatResponseStream, links: readonly CommandLink[]): void {
  if (links.length === 0) return;
  const { text, enabledCommands } = linkLine(links);
  const markdown = new MarkdownString(text);
  markdown.isTrusted = { enabledCommands };
  stream.markdown(markdown);
}

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
  for (const { command, title, args = [] } of buttons) showButton(stream, command, title, ...args);
}
