import * as z from 'zod';
import { defineTool, type Tool } from '../tool.ts';

export interface FinishRequest {
  readonly outcome: 'goal_met' | 'blocked';
  readonly summary: string;
  readonly evidence: readonly { readonly run: string; readonly metric: string }[];
}

/**
 * Checks the evidence against the measured values, then ends the session. If the evidence is
 * insufficient, rejects with `ToolFailure` that says why.
 */
export type Finish = (request: FinishRequest) => Promise<string>;

export const finish = (end: Finish): Tool =>
  defineTool({
    name: 'finish',
    description:
      'End the session. This is the only way to end the work. Outcome goal_met needs evidence: runs and metrics whose measured values show that the goal is met; the values are read from the runs, not from your text. Outcome blocked is for problems that only the user can solve: say in summary exactly what is missing.',
    effect: 'read',
    endsTurn: true,
    isQuiet: true,
    parameters: z.strictObject({
      outcome: z.enum(['goal_met', 'blocked']),
      summary: z.string().min(1).describe('What was done and found, in a few sentences.'),
      evidence: z
        .array(
          z.strictObject({
            run: z
              .union([z.string(), z.int()])
              .transform(String)
              .describe('Run id, run number, or machine:pid.'),
            metric: z.string().describe('Name of a metric that this run printed.'),
          }),
        )
        .default([]),
    }),
    describe: ({ outcome }) => `Finish: ${outcome === 'goal_met' ? 'goal met' : 'blocked'}`,
    async execute(request) {
      return { content: await end(request), endsTurn: true };
    },
  });
