import * as z from 'zod';
import { oneLine } from '../../base/text.ts';
import { untrusted } from '../../base/untrusted.ts';
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
   * Sends one question to another model. If no model is available, rejects immediately with an
   * error that says what to do. Never asks the user.
   */
  consult(question: Question, context: ToolContext): Promise<Opinion>;
}

const maxOpinionChars = 20_000;

export const consult = (consultant: Consultant): Tool =>
  defineTool({
    name: 'consult',
    description:
      'Ask another model for a second opinion. It sees only what you write, costs money and can be wrong.',
    effect: 'network',
    parameters: z.strictObject({
      question: z.string().trim().min(1).max(20_000),
      context: z
        .string()
        .max(30_000)
        .optional()
        .describe('What it must know: goal, measurements, code.'),
      provider: z
        .string()
        .min(1)
        .optional()
        .describe('Default: the configured one, or another than yours.'),
      model: z.string().min(1).optional().describe('Id or alias. Default: that of the provider.'),
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
      return {
        content: `${by} saw only what you wrote. Its answer is an opinion: check it with a run.\n${untrusted(opinion.text, `answer of ${by}`, maxOpinionChars)}`,
        summary: `answered by ${by}`,
      };
    },
  });
