/**
 * Recognizes words such as `/status` at the start of a message, and messages that are questions.
 */
import { nearMatches } from '../base/nearMatches.ts';
import { readTarget } from '../experiments/target/readTarget.ts';

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

const questionStart =
  /^(?:what|why|how|which|where|who|when|is|are|was|were|does|do|did|has|have|was|wie|warum|welche[rs]?|wo|wer|wann|ist|sind|hat)\b/i;
const maxQuestionChars = 500;

/** Returns whether the text is a question without a target, which needs an answer and no work. */
export const isQuestion = (text: string): boolean => {
  const asked = text.trim();
  return (
    asked.length <= maxQuestionChars &&
    asked.endsWith('?') &&
    questionStart.test(asked) &&
    readTarget(asked) === undefined
  );
};
