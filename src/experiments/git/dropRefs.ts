import { shellText } from '../../base/shellText.ts';
import { scriptStart } from './gitScript.ts';

/** Removes the ref that its second argument names, and all refs below it. */
export const dropRefsScript = `${scriptStart}${shellText('./dropRefs.sh', import.meta.url)}`;
