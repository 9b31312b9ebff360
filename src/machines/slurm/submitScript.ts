/**
 * Scripts for the login host that submit a job exactly once and find it again. They use these files
 * in the folder of each element, on the shared file system:
 *
 * - `array`: the element that gives the job its name, and the index in its array; written before
 *   the submission
 * - `submitting/`: in the folder of that first element; exists during a submission, or after an
 *   interrupted one
 * - `job`: the id, once it is known
 *
 * A submission without an answer is found by its name in the queue, or by the id that the job
 * itself writes down.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const exitCodes = { refused: 64, unclear: 75 } as const;

const words = shellText('./job.sh', import.meta.url);

/** Prints a line `name id` for each name, without the id when the job was never submitted. */
export const findScript = (
  runsFolder: string,
  names: readonly string[],
  prelude: string,
): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)}
set -- ${names.map((name) => shellQuote(name)).join(' ')}
${words}${shellText('./findJobs.sh', import.meta.url)}`;

export interface Submission {
  readonly runsFolder: string;
  /** Elements in their order; the first gives the job its name. */
  readonly names: readonly string[];
  /** Arguments of `sbatch`, including the script. */
  readonly argv: readonly string[];
  readonly prelude: string;
}

/**
 * Prints the id of the job. Exits with `refused` and the reason on stderr, or with `unclear` when
 * the caller must ask again.
 */
export const submitScript = ({ runsFolder, names, argv, prelude }: Submission): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)} names=${shellQuote(names.join(' '))} is_array=${names.length > 1 ? '1' : "''"}
refused=${exitCodes.refused} unclear=${exitCodes.unclear}
set -- ${argv.map((word) => shellQuote(word)).join(' ')}
${words}${shellText('./submitJob.sh', import.meta.url)}`;
