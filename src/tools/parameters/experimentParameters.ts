/** Parameters that describe an experiment, for the tools that launch runs. */
import * as z from 'zod';

/** The arguments that describe the experiment of a launch. */
export interface ExperimentArguments {
  /** Default: the run's label or, without one, its command. */
  readonly hypothesis?: string;
  /** Id of an existing experiment to add the runs to. */
  readonly experiment?: string;
  /** Reason for repeating an experiment. */
  readonly retest?: string;
}

export const experimentParameters = {
  hypothesis: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('What it is expected to show, in one sentence.'),
  experiment: z
    .union([z.string().min(1), z.int().positive()])
    .transform(String)
    .optional()
    .describe('Experiment ("e7") to add the runs to, such as other seeds. Default: a new one.'),
  retest: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Why the same code, command and seed run again; refused without.'),
};

type Args = { readonly [Name in keyof ExperimentArguments]?: string | undefined };

export const experimentOf = ({ hypothesis, experiment, retest }: Args): ExperimentArguments => ({
  ...(hypothesis !== undefined && { hypothesis }),
  ...(experiment !== undefined && { experiment }),
  ...(retest !== undefined && { retest }),
});
