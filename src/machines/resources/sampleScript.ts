/**
 * POSIX sh fragments that print a machine's resources and their use. `parseSample.ts` parses the
 * output.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const hostScript = shellText('./host.sh', import.meta.url);

export const gpuScript = shellText('./gpus.sh', import.meta.url);

/**
 * Returns the script that prints each folder and the output of `df` for it. For a missing folder,
 * `df` reports on the closest existing parent.
 */
export const diskScript = (folders: readonly string[]): string =>
  `set -- ${folders.map(shellQuote).join(' ')}\n${shellText('./disks.sh', import.meta.url)}`;
