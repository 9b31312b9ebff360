/**
 * Starts the child process that continues the sessions. Restarts it after an uncaught error, or if
 * a signal or a lack of memory ended it.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../base/logger.ts';
import { backoffMs } from '../base/retries.ts';
import { exitCodes } from './exitCodes.ts';
import { formatDuration } from '../base/text.ts';

/** Delays before the child process is restarted: doubled after each crash, up to `longestMs`. */
const afterDeath = { firstMs: 2_000, factor: 2, longestMs: 600_000 };

export interface SuperviseDeps {
  /** Arguments for Node that start the child process. */
  readonly command: readonly string[];
  nowMs(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly logger: Logger;
  /** Aborted when this process must end. The child process is then asked to close its sessions. */
  readonly signal: AbortSignal;
}

/**
 * Runs the child process, and restarts it after a crash. Resolves with an exit code when the child
 * process is done, or has failed in a way that a restart would repeat. `words`: the handover of the
 * window as JSON.
 */
export async function supervise(words: string, deps: SuperviseDeps): Promise<number> {
  const { logger, signal } = deps;
  let input = words;
  let deaths = 0;
  while (!signal.aborted) {
    const startedMs = deps.nowMs();
    const end = await workOnce(input, deps);
    if (end === exitCodes.done || end === exitCodes.failed) return end;
    // A process that ran this long did not crash because of its start, so the next delay is the
    // shortest one again.
    if (deps.nowMs() - startedMs > afterDeath.longestMs) deaths = 0;
    const waitMs = backoffMs(afterDeath, deaths++);
    if (!signal.aborted)
      logger.error(
        `The child process ended with ${end}. It is restarted in ${formatDuration(waitMs)}.`,
      );
    await deps.wait(waitMs, signal).catch(() => undefined);
    input = withoutGrace(words);
  }
  return exitCodes.done;
}

/**
 * Runs the child process once. Resolves with its exit code, the signal that ended it, or the reason
 * why it could not be started.
 */
function workOnce(words: string, { command, signal }: SuperviseDeps): Promise<number | string> {
  const child = spawn(process.execPath, command, {
    stdio: ['pipe', 'inherit', 'inherit'],
    windowsHide: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  // Writing to a process that has died fails. Ignored, because the exit is reported separately.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${words}\n`);
  return new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => resolve(code ?? by ?? 'an unknown signal'));
  }).finally(() => signal.removeEventListener('abort', end));
}

/**
 * Returns the handover with a grace period of 0, because the child process that crashed has already
 * waited for a new window.
 */
const withoutGrace = (words: string): string =>
  JSON.stringify({ ...(JSON.parse(words) as object), graceMs: 0 });
