/** Measures text in terminal columns: a wide character takes two columns, a combining mark none. */
import stringWidth from 'string-width';
import { stripAnsi } from '../../base/text.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Position of the cursor: its row, from 1, and the number of columns before it. */
interface Place {
  readonly row: number;
  readonly column: number;
}

const graphemes = new Intl.Segmenter();
const tabStop = 8;

/** Returns the number of columns of `text`; escape codes take none. */
export const textWidth = (text: string): number => stringWidth(text);

export const padToWidth = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - textWidth(text)));

/**
 * Returns the longest prefix of `text` that fits into `width` columns without splitting a
 * character. `text` must have no escape codes.
 */
export function cutToWidth(text: string, width: number): string {
  let column = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    column = columnAfter(segment, column);
    if (column > width) return text.slice(0, index);
  }
  return text;
}

/** Returns `text` in at most `width` columns, shortened with an ellipsis. */
export const fitToWidth = (text: string, width: number): string =>
  cutToWidth(text, width) === text ? text : `${cutToWidth(text, Math.max(0, width - 1))}…`;

/**
 * Returns the number of rows that a line takes in a terminal of this width. A wide character is
 * never split at the edge.
 */
export function rowsOf(line: string, columns: number): number {
  let place: Place = { row: 1, column: 0 };
  for (const { segment } of graphemes.segment(stripAnsi(line)))
    place = placeAfter(segment, place, columns);
  return place.row;
}

/** Returns the longest prefix of a line that takes at most `rows` rows. */
export function cutToRows(line: string, { columns, rows }: TerminalSize): string {
  let place: Place = { row: 1, column: 0 };
  for (const { segment, index } of graphemes.segment(line)) {
    place = placeAfter(segment, place, columns);
    if (place.row > rows) return line.slice(0, index);
  }
  return line;
}

/** Matches text that a user may copy: code, a path, a command at the start or after a colon. */
const copied = /`[^`]+`\S*|(?<=^ {0,8}|: )(?:helios|\/[a-z]+) .*$|(?<!\S)\S*[/\\]\S*/g;

/**
 * Splits `line` into pieces of at most `width` columns, between words if possible. Never splits a
 * path or a command, so that it can be copied: its piece may be wider.
 */
export function wrap(line: string, width: number): string[] {
  const whole = [...line.matchAll(copied)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }));
  const spanAt = (at: number) => whole.find(({ start, end }) => at > start && at < end);
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const rest = line.slice(from);
    const fits = cutToWidth(rest, width).length || firstLength(rest);
    let end = from + fits;
    if (end < line.length) end = breakBefore(line, { from, end, spanAt });
    pieces.push(line.slice(from, end));
    if (end >= line.length) return pieces;
    from = line[end] === ' ' ? end + 1 : end;
  }
}

interface Stretch {
  readonly from: number;
  /** The first position that does not fit. */
  readonly end: number;
  /** Returns the path or command that has the position inside. */
  spanAt(at: number): { readonly end: number } | undefined;
}

/** Returns where to split: at the last space that fits, else behind a path or a command. */
function breakBefore(line: string, { from, end, spanAt }: Stretch): number {
  for (let at = line.lastIndexOf(' ', end); at > from; at = line.lastIndexOf(' ', at - 1))
    if (spanAt(at) === undefined) return at;
  return spanAt(end)?.end ?? end;
}

/** Returns the position of the cursor after a character that is written at `place`. */
function placeAfter(segment: string, { row, column }: Place, columns: number): Place {
  const next = columnAfter(segment, column);
  // A tab does not wrap: it moves the cursor at most to the last column.
  if (segment === '\t' || next <= columns) return { row, column: Math.min(next, columns) };
  return { row: row + 1, column: textWidth(segment) };
}

const columnAfter = (grapheme: string, column: number): number =>
  grapheme === '\t' ? column + tabStop - (column % tabStop) : column + textWidth(grapheme);

/**
 * Returns the length of the first character in UTF-16 code units. `wrap` puts a character that is
 * wider than a line on its own line.
 */
const firstLength = (text: string): number =>
  graphemes.segment(text).containing(0)?.segment.length ?? 0;
