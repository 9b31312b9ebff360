/**
 * Scripts for the login host that submit a job array exactly once and find it again. Each element of
 * the array is one run. The scripts use these files in the folder of each run, on the shared file
 * system:
 *
 * - `array`: the name of the job, which is the name of its first element, and the element's index
 *   in the job array; written before the submission
 * - `submitting/`: only in the folder of the first element; exists during a submission, and after
 *   an interrupted submission
 * - `job`: the id of the element's job, written as soon as the id is known
 *
 * If sbatch does not answer, the job is found by its name in the queue, or by the id that the job
 * itself writes to `job`.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const exitCodes = { refused: 64, unclear: 75 } as const;

const jobFunctions = shellText('./job.sh', import.meta.url);

/**
 * Returns the script that prints a line `name id` for each name in `names`: the name of an element
 * of a job array, and the id of its job. The id is empty if the element was never submitted, and
 * `unclear` while it is unknown whether the element was submitted.
 */
export const findScript = (
  runsFolder: string,
  names: readonly string[],
  prelude: string,
): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)}
set -- ${names.map((name) => shellQuote(name)).join(' ')}
${jobFunctions}${shellText('./findJobs.sh', import.meta.url)}`;

export interface Submission {
  readonly runsFolder: string;
  /** Names of the elements, in order. The job gets the name of the first element. */
  readonly names: readonly string[];
  /** Arguments of `sbatch`, including the script. */
  readonly argv: readonly string[];
  readonly prelude: string;
}

/**
 * Returns the script that submits a job and prints its id. The script exits with the code `refused`
 * and the reason on stderr, or with the code `unclear` if the caller must run the script again.
 */
export const submitScript = ({ runsFolder, names, argv, prelude }: Submission): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)} names=${shellQuote(names.join(' '))} is_array=${names.length > 1 ? '1' : "''"}
refused=${exitCodes.refused} unclear=${exitCodes.unclear}
set -- ${argv.map((word) => shellQuote(word)).join(' ')}
${jobFunctions}${shellText('./submitJob.sh', import.meta.url)}`;
