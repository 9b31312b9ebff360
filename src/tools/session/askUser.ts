import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface UserQuestion {
  readonly text: string;
  /** Answers to choose from. If empty, any text is an answer. */
  readonly options: readonly string[];
  /** The answer to assume if the user does not answer in time. */
  readonly fallback: string;
  readonly withinMs: number;
}

export interface AskedQuestion {
  /** Id of the question, such as `q1`. */
  readonly id: string;
  readonly fallback: string;
  /** Time at which the fallback is used, in milliseconds since the epoch. */
  readonly deadlineMs: number;
}

export interface QuestionAsker {
  /** Adds the question to the user's inbox. Resolves without waiting for the answer. */
  ask(question: UserQuestion, callId: string): Promise<AskedQuestion>;
}

const minuteMs = 60_000;

const parameters = z.strictObject({
  question: z.string().min(1).max(2_000).describe('With everything needed to answer it.'),
  options: z.array(z.string().min(1).max(200)).max(8).default([]).describe('Default: any text.'),
  default: z
    .string()
    .min(1)
    .max(500)
    .describe('The safe, reversible answer; one of options, if given.'),
  deadline_minutes: z
    .number()
    .positive()
    .max(10_080)
    .default(60)
    .describe('Until default becomes the answer. Default: 60.'),
});

export const askUser = (deps: QuestionAsker): Tool =>
  defineTool({
    name: 'ask_user',
    formerNames: ['ask_person'],
    description:
      'Ask what only the user can decide, and continue with the default at once; the answer reaches you when it comes.',
    effect: 'read',
    isQuiet: true,
    isRepeatable: true,
    parameters,
    aliases: { text: 'question', choices: 'options', fallback: 'default' },
    describe: ({ question }) => `Asked: ${oneLine(question, 80)}`,
    async execute(args, { callId }) {
      const { question: text, options, default: fallback, deadline_minutes: minutes } = args;
      if (options.length > 0 && !options.includes(fallback))
        throw new ToolFailure(`The default must be one of the options: ${options.join(', ')}.`);
      const asked = await deps.ask(
        { text, options, fallback, withinMs: minutes * minuteMs },
        callId,
      );
      return {
        content: {
          question: asked.id,
          default: asked.fallback,
          deadline: new Date(asked.deadlineMs).toISOString(),
          note: 'The question is in the inbox. Continue now as if the default were the answer.',
        },
        summary: `${asked.id} · default: ${oneLine(asked.fallback, 60)}`,
      };
    },
  });
