/**
 * Starts the process that does the work. Restarts it after an uncaught error, a lack of memory, or
 * a signal.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../base/logger.ts';
import { backoffMs } from '../base/retries.ts';
import { exitCodes } from './exitCodes.ts';

/** Delays before a restart, longer after each death. */
const afterDeath = { firstMs: 2_000, factor: 2, longestMs: 600_000 };

export interface SuperviseDeps {
  /** Arguments for Node that start the process that does the work. */
  readonly command: readonly string[];
  nowMs(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly logger: Logger;
  /** Aborted when the work must stop; sessions are then closed properly. */
  readonly signal: AbortSignal;
}

/**
 * Runs the work, with restarts. Resolves with an exit code when the work is done or would fail
 * again in the same way.
 */
export async function supervise(words: string, deps: SuperviseDeps): Promise<number> {
  const { logger, signal } = deps;
  let told = words;
  let deaths = 0;
  while (!signal.aborted) {
    const startedMs = deps.nowMs();
    const end = await workOnce(told, deps);
    if (end === exitCodes.done || end === exitCodes.failed) return end;
    // A process that ran for a long time did not die because of its start, so the delays begin
    // again.
    if (deps.nowMs() - startedMs > afterDeath.longestMs) deaths = 0;
    const waitMs = backoffMs(afterDeath, deaths++);
    if (!signal.aborted)
      logger.error(`The work ended with ${end}. It begins anew in ${waitMs / 1000} s.`);
    await deps.wait(waitMs, signal).catch(() => undefined);
    told = withoutGrace(words);
  }
  return exitCodes.done;
}

/**
 * Runs the work once. Resolves with the exit code, the signal, or the reason why the process could
 * not be started.
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
 * Returns the handover without the grace period, because the first process has already waited for
 * the window.
 */
const withoutGrace = (words: string): string =>
  JSON.stringify({ ...(JSON.parse(words) as object), graceMs: 0 });
