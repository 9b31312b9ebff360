/** A question of the agent in the chat, with links that answer it. */
import { clockTime } from '../../base/localTime.ts';
import { plain } from '../../base/markdown.ts';
import type { SessionId } from '../../base/ids.ts';
import type { CommandLink } from '../ui/commandLinks.ts';

export interface ShownQuestion {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  /** The answer if the user gives none. */
  readonly fallback: string;
  readonly deadlineMs: number;
}

/** Returns the whole question with its numbered options and what happens without an answer. */
export const questionText = (
  { id, text, options, fallback, deadlineMs }: ShownQuestion,
  nowMs: number,
): string =>
  [
    `Question ${id} · ${plain(text, Infinity)}`,
    ...options.map((option, index) => `${index + 1}. ${plain(option, Infinity)}`),
    `No answer by ${clockTime(deadlineMs, nowMs)} means: ${plain(fallback, Infinity)}`,
  ].join('\n\n');

/** Returns a link for each option, by its number, and one for another answer. */
export const answerLinks = (
  sessionId: SessionId,
  { id: questionId, options }: Pick<ShownQuestion, 'id' | 'options'>,
): readonly CommandLink[] => {
  const row = { target: { kind: 'question', questionId, sessionId } };
  return [
    ...options.map((_option, index): CommandLink => ({
      title: `Answer ${index + 1}`,
      args: [row, index],
    })),
    { title: 'Other Answer…', args: [row] },
  ];
};
