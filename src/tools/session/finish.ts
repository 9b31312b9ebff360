import * as z from 'zod';
import { commandAccess } from '../parameters/accesses.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface FinishRequest {
  readonly outcome: 'goal_met' | 'best_found' | 'blocked';
  readonly summary: string;
  readonly evidence: readonly {
    /** References of runs, experiments (`e6`) or sweeps (`s3`). */
    readonly runs: readonly string[];
    /** Omitted for a run whose success is the evidence, such as a run of a test. */
    readonly metric?: string | undefined;
  }[];
  readonly files: readonly string[];
  /** Commands that have to succeed on the code of the evidence. */
  readonly checks: readonly string[];
}

export interface SessionEnd {
  /**
   * Checks the evidence against the measured values, runs the checks, then ends the session. If the
   * evidence is insufficient, rejects with `ToolFailure` that says why.
   */
  finish(request: FinishRequest, context: ToolContext): Promise<string>;
  /**
   * Returns the machines and folders in which the checks of a request run; the session's folder if
   * the request names no runs.
   */
  checkPlaces(request: FinishRequest): readonly CheckPlace[];
}

export interface CheckPlace {
  readonly machineId: string;
  /** Absolute path. */
  readonly folder: string;
}

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
      .describe('Run, experiment, sweep, or a list.'),
    metric: z
      .string()
      .optional()
      .describe('That these runs printed. Omit it where success counts.'),
  }),
);

export const finish = (end: SessionEnd): Tool =>
  defineTool({
    name: 'finish',
    description:
      'End the session. goal_met: the target is compared with what the runs of evidence measured, each with all its repeats: name the experiment or runs of the best setting. best_found: for a goal without a number. blocked: only the user can help; summary says what is missing.',
    effect: 'read',
    endsTurn: true,
    isQuiet: true,
    parameters: z.strictObject({
      outcome: z.enum(['goal_met', 'best_found', 'blocked']),
      summary: z.string().min(1),
      evidence: z.array(evidence).default([]),
      files: z.array(z.string().min(1)).default([]).describe('Files that the goal asks for.'),
      checks: z
        .array(z.string().min(1))
        .max(4)
        .default([])
        .describe(
          'Commands that the goal wants to pass, such as "python3 check.py"; run again on the code of the evidence.',
        ),
    }),
    describe: ({ outcome }) => `Finish: ${outcome.replace('_', ' ')}`,
    accesses: (request) =>
      request.checks.length === 0
        ? []
        : end
            .checkPlaces(request)
            .flatMap(({ machineId, folder }) =>
              request.checks.map((command) => commandAccess(machineId, command, folder)),
            ),
    async execute(request, context) {
      return { content: await end.finish(request, context), endsTurn: true };
    },
  });
