/** Recognizes words such as `/status` at the start of a message. */
import { nearMatches } from '../base/nearMatches.ts';

/**
 * Returns the word after a slash at the start of the text, in lower case; `undefined` for a path.
 */
export const slashWord = (text: string): string | undefined =>
  /^\s*\/([a-z][a-z-]*)(?=\s|$)/i.exec(text)?.[1]?.toLowerCase();

/**
 * Returns a message about an unknown slash word, with the nearest known words, each after `prefix`.
 */
export function unknownWordText(word: string, known: readonly string[], prefix = '/'): string {
  const near = nearMatches(word, known).map((each) => `${prefix}${each}`);
  const advice = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  return `There is no command /${word}.${advice}`;
}
