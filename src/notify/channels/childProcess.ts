/** Runs a program that sends a notification, with a time limit. */
import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../base/childEnvironment.ts';
import type { Clock } from '../../base/clock.ts';
import { signalTree, type ProgramCall } from '../../base/windowsPrograms.ts';
import { cleanText } from '../../base/text.ts';
import { currentPlatform } from '../../base/platform.ts';

export interface ChildRequest extends ProgramCall {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export type ChildEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly output: string }
  | { readonly kind: 'signalled'; readonly signal: string; readonly output: string }
  | { readonly kind: 'timed_out'; readonly output: string }
  /** The process could not be started; `code` is a system error such as `ENOENT`. */
  | { readonly kind: 'not_started'; readonly code: string | undefined; readonly why: string };

const keptChars = 2_000;

/**
 * Runs the program, and resolves with how it ended. Ends the program and its children at the time
 * limit. Never rejects.
 */
export function runChild(request: ChildRequest): Promise<ChildEnd> {
  const { timeoutMs, clock } = request;
  return new Promise((resolve) => {
    const child = start(request);
    let output = '';
    let isLate = false;
    const keep = (chunk: Buffer): void => {
      output = cleanText(output + chunk.toString('utf8')).slice(-keptChars);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const timer = clock.after(timeoutMs, () => {
      isLate = true;
      signalTree(child.pid, 'SIGKILL', request);
    });
    const over = (end: ChildEnd): void => {
      timer.dispose();
      resolve(end);
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      over({ kind: 'not_started', code: error.code, why: error.message }),
    );
    child.once('close', (code, signal) => {
      if (isLate) over({ kind: 'timed_out', output });
      else
        over(
          signal === null
            ? { kind: 'exited', code: code ?? 0, output }
            : { kind: 'signalled', signal, output },
        );
    });
  });
}

/** Starts the program as the leader of a process group; Windows has none. */
const start = ({ file, args, isVerbatim = false, env, platform }: ChildRequest) =>
  spawn(file, args, {
    env: env as NodeJS.ProcessEnv,
    detached: platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/**
 * Returns the environment for the program: without the variables that hold secrets, except those
 * that `command` names.
 */
export function childEnv(
  env: ChildRequest['env'],
  command = '',
  platform: NodeJS.Platform = currentPlatform(),
): Record<string, string | undefined> {
  const isAskedFor = (name: string): boolean =>
    platform === 'win32'
      ? [`%${name}%`, `!${name}!`].some((use) => command.toUpperCase().includes(use.toUpperCase()))
      : command.includes(`$${name}`) || command.includes(`\${${name}`);
  return withoutSecrets(env, isAskedFor);
}
