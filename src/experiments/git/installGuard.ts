/** Puts the guard of git where runs live on a machine. */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import { heliosFolder } from './gitScript.ts';

const guardScript = shellText('./guard.sh', import.meta.url);
const guardEnv = shellText('./guardEnv.sh', import.meta.url);

/** Each version has a folder of its own: those that runs began with stay. */
const version = createHash('sha256')
  .update(guardScript)
  .update(guardEnv)
  .digest('hex')
  .slice(0, 10);

const script = shellText('./installGuard.sh', import.meta.url);

export type GuardState =
  | { readonly kind: 'ready'; readonly folder: string }
  /** There is no git to guard. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed' };

/** Where it is on a machine, or will be. */
export const guardFolder = (machine: Machine): string =>
  posix.join(heliosFolder(machine), `git-guard-${version}`);

/** Rejects with `MachineFailure` where the machine cannot be asked. */
export async function installGuard(machine: Machine): Promise<GuardState> {
  const folder = guardFolder(machine);
  const command = `exec /bin/sh -c ${shellQuote(script)} helios ${shellQuote(folder)} ${shellQuote(guardEnv)}`;
  const { stdout } = await machine.exec(command, {
    cwd: '/',
    stdin: guardScript,
    timeoutMs: 30_000,
  });
  const said = stdout.trim();
  if (said === 'ready') return { kind: 'ready', folder };
  return { kind: said === 'none' ? 'none' : 'failed' };
}

/** `command` with the guard first in its PATH. */
export const withGuard = (folder: string, command: string): string =>
  `HELIOS_GIT_GUARD=${shellQuote(folder)}; . "$HELIOS_GIT_GUARD/env"; ${command}`;
