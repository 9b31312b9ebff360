/**
 * Text format of a note, readable for users and for Helios: the gist as a quotation on the first
 * line, a blank line, then the content.
 *
 *     > best so far: run 7, val loss 0.83
 *
 *     lr 3e-4, batch 32 …
 */
import { cleanText, oneLine } from '../base/text.ts';

export interface NoteText {
  /** Single line, at most 240 characters. */
  readonly gist: string;
  /** Without trailing white space; empty for a node with only a gist. */
  readonly content: string;
}

const maxGistChars = 240;

export const cleanGist = (gist: string): string => oneLine(cleanText(gist), maxGistChars);

export const formatNote = (note: NoteText): string =>
  `> ${cleanGist(note.gist)}\n${note.content.trim() === '' ? '' : `\n${note.content.trimEnd()}\n`}`;

/** Parses a note. In a file without a gist line, the first line with text serves as the gist. */
export function parseNote(fileText: string): NoteText {
  const text = fileText.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const match = /^> ?(.*)(?:\n|$)/.exec(text);
  if (match === null) return { gist: firstWords(text), content: text.trimEnd() };
  const content = text.slice(match[0].length).replace(/^\n/, '').trimEnd();
  return { gist: cleanGist(match[1] ?? '') || firstWords(content), content };
}

/**
 * Returns the first line with text, without the Markdown prefix of a heading, list item or
 * quotation. Skips lines without letters or digits, such as `---`.
 */
function firstWords(text: string): string {
  const line = text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  return cleanGist(line.replace(/^\s*(?:#+|[-*+>])\s+/, ''));
}
