/**
 * Submitting a job once, and finding it again, as scripts for the login host. In the folder of each
 * element, on the file system that all share:
 *
 * - `array`: the element that gives the job its name, and the index in its array; written before
 *   anything is submitted
 * - `submitting/`: in the folder of that first element; somebody submits, or was interrupted while
 *   they did
 * - `job`: the id, once it is known
 *
 * A submission whose answer was lost is found by its name in the queue, or by the job itself, which
 * writes down its id.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const exitCodes = { refused: 64, unclear: 75 } as const;

const words = shellText('./job.sh', import.meta.url);

/** Prints, for each name, a line `name id`; without an id when it was never submitted. */
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
  /** Of its elements, in their order; the first gives the job its name. */
  readonly names: readonly string[];
  /** Arguments of `sbatch`, the script included. */
  readonly argv: readonly string[];
  readonly prelude: string;
}

/**
 * Prints the id of the job. Ends with `refused` and the reason on stderr, or with `unclear`: to be
 * asked again.
 */
export const submitScript = ({ runsFolder, names, argv, prelude }: Submission): string => `
${prelude}
runs_folder=${shellQuote(runsFolder)} names=${shellQuote(names.join(' '))} is_array=${names.length > 1 ? '1' : "''"}
refused=${exitCodes.refused} unclear=${exitCodes.unclear}
set -- ${argv.map((word) => shellQuote(word)).join(' ')}
${words}${shellText('./submitJob.sh', import.meta.url)}`;
