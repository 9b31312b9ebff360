import { shellText } from '../base/shellText.ts';

/**
 * What the supervisor and those who ask about runs need to know of a machine: functions of a POSIX
 * shell.
 */
export const leaseFunctions = [
  shellText('./system.sh', import.meta.url),
  shellText('./members.sh', import.meta.url),
  shellText('./leases.sh', import.meta.url),
].join('');

/**
 * The text of `capsule.sh`; `supervisor.ts` says what it promises. Needs a POSIX shell; uses setsid
 * and /proc where they are.
 */
export const supervisorScript = `#!/bin/sh
${leaseFunctions}${shellText('./takeLeases.sh', import.meta.url)}${shellText('./supervisor.sh', import.meta.url)}`;
