/**
 * A note as text, for people as much as for us: the gist as a quotation on the first line, a blank
 * line, then the content.
 *
 *     > best so far: run 7, val loss 0.83
 *
 *     lr 3e-4, batch 32 …
 */
import { cleanText, oneLine } from '../base/text.ts';

export interface NoteText {
  /** One line, at most 240 characters. */
  readonly gist: string;
  /** Without white space at its end; empty for a node that has only a gist. */
  readonly content: string;
}

const maxGistChars = 240;

export const cleanGist = (gist: string): string => oneLine(cleanText(gist), maxGistChars);

export const formatNote = (note: NoteText): string =>
  `> ${cleanGist(note.gist)}\n${note.content.trim() === '' ? '' : `\n${note.content.trimEnd()}\n`}`;

/**
 * Never fails: a file that a user made without a gist line has its first line that says something
 * as its gist.
 */
export function parseNote(fileText: string): NoteText {
  const text = fileText.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const match = /^> ?(.*)(?:\n|$)/.exec(text);
  if (match === null) return { gist: firstWords(text), content: text.trimEnd() };
  const content = text.slice(match[0].length).replace(/^\n/, '').trimEnd();
  return { gist: cleanGist(match[1] ?? '') || firstWords(content), content };
}

/**
 * Rules and fences (`---`, code marks) say nothing; the mark of a heading or list item is not part
 * of what it says.
 */
function firstWords(text: string): string {
  const line = text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  return cleanGist(line.replace(/^\s*(?:#+|[-*+>])\s+/, ''));
}
