/** Formats how a text changes, for a user who decides about the change. */

const shownAround = 3;

/**
 * Returns the change as lines that begin with `-` or `+`, and lines around them that begin with a
 * space. All lines between the first and the last difference are shown as removed and added. Empty
 * for equal texts.
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  const [old, now] = [linesOf(before), linesOf(after)];
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...signed(' ', old.slice(Math.max(0, start - shownAround), start)),
    ...signed('-', old.slice(start, old.length - end)),
    ...signed('+', now.slice(start, now.length - end)),
    ...signed(' ', old.slice(old.length - end).slice(0, shownAround)),
  ].join('\n');
}

/** Splits a text into lines with their line ends, so that a missing last line end is a change. */
const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

const signed = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${sign}${line.replace(/\r?\n$/, '')}`);
