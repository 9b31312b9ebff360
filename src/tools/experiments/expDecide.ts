import * as z from 'zod';
import { decisions, type Decision } from '../../experiments/experiment.ts';
import { oneLine } from '../../base/text.ts';
import { taskText, type RunsReference } from '../runs/measuredRuns.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface ExperimentDecisionRequest {
  readonly experiment: string;
  readonly decision: Decision;
  readonly why: string;
  /** Runs of the settings that are decided; omitted if the decision is on the whole experiment. */
  readonly runs?: RunsReference | undefined;
}

export interface DecidedExperiment {
  readonly id: string;
  /** The decision and the runs to which it applies: `keep (runs 4, 5)`. */
  readonly decision: string;
  /** The measured result of the experiment's runs, as text. */
  readonly result: string;
  readonly warnings: readonly string[];
  /** Names the numbers of the reason that no run measured; empty if there are none. */
  readonly unmeasured: string;
}

export interface ExperimentJudge {
  /**
   * Records the decision. Rejects with `ToolFailure` if the experiment or a run does not exist, or
   * if one of the runs has not ended.
   */
  decide(request: ExperimentDecisionRequest): Promise<DecidedExperiment>;
}

const runNumber = z.union([z.int().positive(), z.string().min(1)]);

const parameters = z.strictObject({
  experiment: z
    .union([z.string().min(1), z.int().positive()])
    .transform(String)
    .describe('Such as "e7".'),
  decision: z
    .enum(decisions)
    .describe(
      'keep: better; later ones build on it. reference: a baseline or outsider, never the best. invalid: a bug or data leak. retest: unclear, to be repeated.',
    ),
  why: z.string().min(1).max(1_000).describe('What was measured, and what follows.'),
  runs: z
    .union([runNumber, z.array(runNumber).min(1).max(1000)])
    .optional()
    .describe(
      'One setting of a sweep: a run of it, such as 7; its other seeds are decided with it.',
    ),
});

export const expDecide = (deps: ExperimentJudge): Tool =>
  defineTool({
    name: 'exp_decide',
    description:
      'Record your decision on an experiment once its runs have ended, before you launch the next. A later decision replaces an earlier one.',
    // Not `read`: the decision must not run in parallel with calls whose results it is based on.
    effect: 'write',
    isOwnData: true,
    changesCode: false,
    isQuiet: true,
    isRepeatable: true,
    parameters,
    aliases: {
      id: 'experiment',
      experiment_id: 'experiment',
      verdict: 'decision',
      reason: 'why',
      run: 'runs',
    },
    describe: ({ experiment, decision, why, runs }) =>
      `Decided on ${runs === undefined ? '' : `${taskText(runs)} of `}experiment ${experiment}: ${decision}, ${oneLine(why, 80)}`,
    async execute(args) {
      const { id, decision, result, warnings, unmeasured } = await deps.decide(args);
      return {
        content: {
          experiment: id,
          decision,
          measured: result,
          ...(warnings.length > 0 && { warnings }),
          ...(unmeasured !== '' && { unmeasured: `${unmeasured}.` }),
        },
        summary: [`${id} · ${decision} · ${oneLine(result, 60)}`, unmeasured]
          .filter((text) => text !== '')
          .join(' · '),
      };
    },
  });
