import * as z from 'zod';
import { capText, oneLine } from '../../base/text.ts';
import { fenced } from '../../sleep/outputTail.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface Question {
  readonly question: string;
  readonly context?: string;
  readonly provider?: string;
  readonly model?: string;
}

export interface Opinion {
  /** Display name of the provider, such as `OpenAI`. */
  readonly provider: string;
  readonly model: string;
  readonly text: string;
}

export interface Consultant {
  /**
   * Sends one question to another model. If no model is available, rejects at once and says what to
   * do. Never asks the user.
   */
  consult(question: Question, context: ToolContext): Promise<Opinion>;
}

const maxOpinionChars = 20_000;

export const consult = (consultant: Consultant): Tool =>
  defineTool({
    name: 'consult',
    description:
      'Ask another model for a second opinion: on a plan, a surprising result, or what to try when ideas run out. It ' +
      'sees only what you write, has no tools and changes nothing. It costs money, and it can be wrong: only runs measure.',
    effect: 'network',
    parameters: z.strictObject({
      question: z.string().trim().min(1).max(20_000).describe('One question, complete in itself.'),
      context: z
        .string()
        .max(30_000)
        .optional()
        .describe('What the model must know: goal, measurements, code.'),
      provider: z
        .string()
        .min(1)
        .optional()
        .describe('Default: the configured provider, or another than yours.'),
      model: z
        .string()
        .min(1)
        .optional()
        .describe('A model id or alias. Default: that of the provider.'),
    }),
    describe: ({ question }) => `Asked for a second opinion: ${oneLine(question, 100)}`,
    async execute({ question, context, provider, model }, call) {
      const opinion = await consultant.consult(
        {
          question,
          ...(context && { context }),
          ...(provider && { provider }),
          ...(model && { model }),
        },
        call,
      );
      const by = `${opinion.provider} (${opinion.model})`;
      const text = capText(opinion.text, maxOpinionChars).text;
      return {
        content: `${by} answers, having seen only what you wrote. It is an opinion: check it with a run.\n${fenced(text)}`,
        summary: `answered by ${by}`,
      };
    },
  });
