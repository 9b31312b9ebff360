import { MachineFailure } from './machine.ts';

/** Maximum size of a file that is read as a whole. Larger files are read in parts. */
export const maxWholeFileBytes = 64 * 2 ** 20;

/** Returns the failure of reading a whole file that has more than `maxBytes`. */
export const tooLarge = (path: string, maxBytes: number): MachineFailure =>
  new MachineFailure(
    'io',
    `Cannot read ${path}: it is larger than ${maxBytes / 2 ** 20} MiB. Read it in parts.`,
  );
