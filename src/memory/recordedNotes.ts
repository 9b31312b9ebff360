/** Notes with output of programs on machines, which Helios writes and marks for the model. */
import { oneLine } from '../base/text.ts';
import { untrustedLine } from '../base/untrusted.ts';
import type { MemoryNode } from './memoryNode.ts';

const folder = '/snapshots/';

/** Origin of the text of these notes. */
export const recordedOrigin = 'recorded environment';

/** Returns the path of the note on the recorded environment `name`. */
export const recordedPath = (name: string): string => `${folder}${name}`;

/** Returns true for a note with output of programs, which may contain text of others. */
export const isRecorded = (path: string): boolean => path.startsWith(folder);

/** Returns the gist on one line for a model; marked as untrusted if the note is recorded. */
export const shownGist = ({ path, gist }: MemoryNode, maxChars: number): string =>
  isRecorded(path) && gist !== ''
    ? untrustedLine(gist, recordedOrigin, maxChars)
    : oneLine(gist, maxChars);
