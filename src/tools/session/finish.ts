import * as z from 'zod';
import { defineTool, type Tool } from '../tool.ts';

export interface FinishRequest {
  readonly outcome: 'goal_met' | 'best_found' | 'blocked';
  readonly summary: string;
  readonly evidence: readonly {
    /** References of runs, experiments (`e6`) or sweeps (`s3`). */
    readonly runs: readonly string[];
    /** Omitted for a run whose success is the evidence, such as a test. */
    readonly metric?: string | undefined;
  }[];
  readonly files: readonly string[];
}

/**
 * Checks the evidence against the measured values, then ends the session. If the evidence is
 * insufficient, rejects with `ToolFailure` that says why.
 */
export type Finish = (request: FinishRequest) => Promise<string>;

const reference = z.union([z.string().min(1), z.int()]).transform(String);

const evidence = z.preprocess(
  (claim) =>
    typeof claim === 'object' && claim !== null && 'run' in claim && !('runs' in claim)
      ? (({ run, ...rest }) => ({ ...rest, runs: run }))(claim as { run: unknown })
      : claim,
  z.strictObject({
    runs: z
      .union([reference, z.array(reference).min(1)])
      .transform((one) => (Array.isArray(one) ? one : [one]))
      .describe('A run number, an experiment ("e6"), a sweep ("s3"), or a list of them.'),
    metric: z
      .string()
      .optional()
      .describe('A metric that these runs printed. Omit it where the success of a run counts.'),
  }),
);

export const finish = (end: Finish): Tool =>
  defineTool({
    name: 'finish',
    description:
      'End the session. This is the only way to end the work. goal_met: the target is compared with what the runs in evidence measured, each with all its repeats, so name the experiment or the runs of the best setting; the values are read from the runs, not from your text. best_found: for a goal without a number to reach. blocked: only the user can help; say in summary exactly what is missing.',
    effect: 'read',
    endsTurn: true,
    isQuiet: true,
    parameters: z.strictObject({
      outcome: z.enum(['goal_met', 'best_found', 'blocked']),
      summary: z.string().min(1).describe('What was done and found, in a few sentences.'),
      evidence: z.array(evidence).default([]),
      files: z
        .array(z.string().min(1))
        .default([])
        .describe('For a goal that asks for files: their paths in the working folder.'),
    }),
    describe: ({ outcome }) => `Finish: ${outcome.replace('_', ' ')}`,
    async execute(request) {
      return { content: await end(request), endsTurn: true };
    },
  });
