/** The path of the home folder of Helios. */
import { homedir } from 'node:os';
import path from 'node:path';

export { homeAt, type Home } from '../storage/home.ts';
export { openToOthers } from '../storage/homeModes.ts';
export { isPassing } from '../storage/storageFailure.ts';

export const defaultHome = (): string => path.join(homedir(), '.helios');
