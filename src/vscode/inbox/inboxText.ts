/** Texts of the inbox, and a parser for answers that the user types. */
import type { SessionState } from '../../agent/journal/state.ts';
import { UserFacing } from '../../base/errors.ts';
import { plain } from '../../base/markdown.ts';

/** Returns a Markdown list of the answered questions. */
export function inboxList({ questions }: Pick<SessionState, 'questions'>): string {
  if (questions.size === 0) return 'The inbox is empty: the agent has no questions.';
  return [...questions.values()]
    .flatMap(({ id, text, answer }) =>
      answer === undefined
        ? []
        : [
            `- ${id}: ${plain(text, 300)} → **${plain(answer.text, 300)}**${answer.by === 'default' ? ' (default)' : ''}`,
          ],
    )
    .join('\n');
}

/**
 * Parses `q1 use both GPUs` into a question id and an answer. The id may be omitted if exactly one
 * question is open. `open`: ids of the open questions. Throws `UserFacing` if the answer is empty
 * or its question is unclear.
 */
export function parseAnswer(
  prompt: string,
  open: readonly string[],
): { questionId: string; answer: string } {
  const named = /^(q\d+)\b[\s:]*([\s\S]*)$/i.exec(prompt.trim());
  const questionId = named?.[1]?.toLowerCase() ?? (open.length === 1 ? open[0] : undefined);
  const answer = (named?.[2] ?? prompt).trim();
  if (questionId !== undefined && answer !== '') return { questionId, answer };
  if (open.length === 0) throw new UserFacing('No question is open.');
  throw new UserFacing(
    answer === '' ? 'The answer is empty.' : 'Several questions are open.',
    `Use /answer ${questionId ?? open[0] ?? 'q1'} with the answer. Open questions: ${open.join(', ')}.`,
  );
}
