/**
 * Scripts for the login host that submit a job exactly once and find the job again. The scripts use
 * these files in the folder of each element, on the shared file system:
 *
 * - `array`: the name of the job (that of its first element), and the index in the job array;
 *   written before the submission
 * - `submitting/`: in the folder of that first element; exists during a submission, or after an
 *   interrupted one
 * - `job`: the id, once it is known
 *
 * If sbatch does not answer, the job is found by its name in the queue, or by the id that the job
 * itself writes to `job`.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const exitCodes = { refused: 64, unclear: 75 } as const;

const words = shellText('./job.sh', import.meta.url);

/**
 * Returns the script that prints a line `name id` for each job name, without the id if the job was
 * never submitted.
 */
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
  /** Names of the elements, in order. The job gets the name of the first element. */
  readonly names: readonly string[];
  /** Arguments of `sbatch`, including the script. */
  readonly argv: readonly string[];
  readonly prelude: string;
}

/**
 * Returns the script that submits a job and prints its id. The script exits with `refused` and the
 * reason on stderr, or with `unclear` if the caller must run it again.
 */
export const submitScript = ({ runsFolder, names, argv, prelude }: Submission): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)} names=${shellQuote(names.join(' '))} is_array=${names.length > 1 ? '1' : "''"}
refused=${exitCodes.refused} unclear=${exitCodes.unclear}
set -- ${argv.map((word) => shellQuote(word)).join(' ')}
${words}${shellText('./submitJob.sh', import.meta.url)}`;
