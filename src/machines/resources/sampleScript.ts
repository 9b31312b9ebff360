/**
 * POSIX-sh fragments that print what a machine has and what of it is in use. `parseSample.ts` reads
 * it.
 */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';

export const hostScript = shellText('./host.sh', import.meta.url);

export const gpuScript = shellText('./gpus.sh', import.meta.url);

/**
 * Of folders that are not there yet: where they would be made. Prints the folder, then what `df`
 * says of it.
 */
export const diskScript = (folders: readonly string[]): string =>
  `set -- ${folders.map(shellQuote).join(' ')}\n${shellText('./disks.sh', import.meta.url)}`;
