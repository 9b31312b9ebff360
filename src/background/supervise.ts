/**
 * Starts the process that does the work, and restarts it when it dies of a fault, lack of memory,
 * or a signal.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../base/logger.ts';
import { backoffMs } from '../base/retries.ts';
import { exitCodes } from './exitCodes.ts';

/** Delays before a restart. */
const afterDeath = { firstMs: 2_000, factor: 2, longestMs: 600_000 };

export interface SuperviseDeps {
  /** Node's arguments for the process that does the work. */
  readonly command: readonly string[];
  nowMs(): number;
  /** Resolves after this many milliseconds; rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly logger: Logger;
  /** Aborted when the work must end in good order. */
  readonly signal: AbortSignal;
}

/** Resolves with an exit code when the work is done or would fail again in the same way. */
export async function supervise(words: string, deps: SuperviseDeps): Promise<number> {
  const { logger, signal } = deps;
  let told = words;
  let deaths = 0;
  while (!signal.aborted) {
    const startedMs = deps.nowMs();
    const end = await workOnce(told, deps);
    if (end === exitCodes.done || end === exitCodes.failed) return end;
    // A process that lived long did not die of its start.
    if (deps.nowMs() - startedMs > afterDeath.longestMs) deaths = 0;
    const waitMs = backoffMs(afterDeath, deaths++);
    if (!signal.aborted)
      logger.error(`The work ended with ${end}. It begins anew in ${waitMs / 1000} s.`);
    await deps.wait(waitMs, signal).catch(() => undefined);
    told = withoutGrace(words);
  }
  return exitCodes.done;
}

/** Resolves with the exit code, the signal, or the reason why the process could not be started. */
function workOnce(words: string, { command, signal }: SuperviseDeps): Promise<number | string> {
  const child = spawn(process.execPath, command, {
    stdio: ['pipe', 'inherit', 'inherit'],
    windowsHide: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  // Writing to a dead process fails; its exit is reported separately.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${words}\n`);
  return new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => resolve(code ?? by ?? 'an unknown signal'));
  }).finally(() => signal.removeEventListener('abort', end));
}

/** Removes the grace time, because the first process has already waited for the window. */
const withoutGrace = (words: string): string =>
  JSON.stringify({ ...(JSON.parse(words) as object), graceMs: 0 });
