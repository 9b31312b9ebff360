/** Tells questions from goals. Loaded with the first message, because it reads targets. */
import { readTarget } from '../experiments/target/readTarget.ts';

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
