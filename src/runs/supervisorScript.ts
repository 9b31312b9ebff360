import { shellText } from '../base/shellText.ts';

/** Shell functions (POSIX) about processes and leases, for the supervisor and for queries. */
export const leaseFunctions = [
  shellText('./system.sh', import.meta.url),
  shellText('./members.sh', import.meta.url),
  shellText('./leases.sh', import.meta.url),
].join('');

/**
 * Text of `capsule.sh`, the supervisor, which `supervisor.ts` describes. Needs a POSIX shell. Uses
 * setsid and /proc where they exist.
 */
export const supervisorScript = `#!/bin/sh
${leaseFunctions}${shellText('./takeLeases.sh', import.meta.url)}${shellText('./supervisor.sh', import.meta.url)}`;
