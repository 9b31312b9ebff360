/** Notes that Helios writes of what programs of machines say, and their marks for a model. */
import { oneLine } from '../base/text.ts';
import { untrustedLine } from '../base/untrusted.ts';
import type { MemoryNode } from './memoryNode.ts';

const folder = '/snapshots/';

/** Origin of the text of these notes. */
export const recordedOrigin = 'recorded environment';

/** Returns the path of the note with the environment of that name. */
export const recordedPath = (name: string): string => `${folder}${name}`;

/** Returns true for a note that holds text of others. */
export const isRecorded = (path: string): boolean => path.startsWith(folder);

/** Returns the gist for a model on one line, marked if others wrote it. */
export const shownGist = ({ path, gist }: MemoryNode, maxChars: number): string =>
  isRecorded(path) && gist !== ''
    ? untrustedLine(gist, recordedOrigin, maxChars)
    : oneLine(gist, maxChars);
