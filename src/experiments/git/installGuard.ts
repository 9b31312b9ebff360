/** Installs the git guard on a machine, next to the folder of runs. */
import { createHash } from 'node:crypto';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import { heliosFolder } from './gitScript.ts';

const guardScript = [
  '#!/bin/sh',
  shellText('./overridePrograms.sh', import.meta.url),
  shellText('./guard.sh', import.meta.url),
].join('\n');
const guardEnv = shellText('./guardEnv.sh', import.meta.url);

/**
 * Version of the guard. Each version has its own folder, so that a run keeps the guard with which
 * it started.
 */
const version = createHash('sha256')
  .update(guardScript)
  .update(guardEnv)
  .digest('hex')
  .slice(0, 10);

const script = shellText('./installGuard.sh', import.meta.url);

export type GuardState =
  | { readonly kind: 'ready'; readonly folder: string }
  /** The machine has no git, so no guard is needed. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed' };

/** Returns the folder of the guard on a machine, even if the guard is not installed yet. */
export const guardFolder = (machine: Machine): string =>
  machine.path.join(heliosFolder(machine), `git-guard-${version}`);

/**
 * Installs the guard on the machine. Rejects with `MachineFailure` if the machine does not answer.
 */
export async function installGuard(machine: Machine): Promise<GuardState> {
  const folder = guardFolder(machine);
  const command = `exec /bin/sh -c ${shellQuote(script)} helios ${shellQuote(folder)} ${shellQuote(guardEnv)}`;
  const { stdout } = await machine.exec(command, {
    cwd: '/',
    stdin: guardScript,
    timeoutMs: 30_000,
  });
  const state = stdout.trim();
  if (state === 'ready') return { kind: 'ready', folder };
  return { kind: state === 'none' ? 'none' : 'failed' };
}

/** Returns `command`, changed so that it finds the guard before git in its PATH. */
export const withGuard = (folder: string, command: string): string =>
  `HELIOS_GIT_GUARD=${shellQuote(folder)}; . "$HELIOS_GIT_GUARD/env"; ${command}`;
