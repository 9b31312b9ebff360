/** Tells which variables a line may set because no shell or program reads them. */
import type { ShellWord } from '../../../shell/shellCommand.ts';

/** Names that shells or programs read, in lowercase. */
const specialNames =
  /proxy|config|^(?:path|fpath|cdpath|manpath|mailpath|argv|status|prompt|histchars|auto_resume)$/;

/** Names in capitals that no shell or program reads. */
const ownCapitals = new RegExp(
  '^(?:[A-Z]|RUNS?|LOGS?|LOGFILE|DIR|OUT|FILES?|NAME|EXP|STEPS?|SEEDS?|BEST|LAST|LATEST|TOTAL|COUNT|BASE|DATA|' +
    'CKPT|CFG|METRICS|JOB|JOBID|(?:RUN|LOG|EXP|OUT|DATA|CKPT)_(?:DIR|FILE|ID|NAME|PATH))$',
);

export const isOwnName = (name: string): boolean =>
  (/^[a-z][a-z0-9_]{0,30}$/.test(name) && !specialNames.test(name)) || ownCapitals.test(name);

export const isOwnWord = ({ text, isDynamic, isQuoted }: ShellWord): boolean =>
  !isDynamic && !isQuoted && isOwnName(text);

/** Returns true for `_`, whose value the shell itself changes: no command may rely on it. */
export const isThrowaway = ({ text, isDynamic, isQuoted }: ShellWord): boolean =>
  text === '_' && !isDynamic && !isQuoted;
