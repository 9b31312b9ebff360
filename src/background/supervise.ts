/**
 * Starts the process that does the work, and starts it anew when it dies: of a fault, for lack of
 * memory, killed.
 */
import { spawn } from 'node:child_process';
import type { Logger } from '../base/logger.ts';
import { backoffMs } from '../base/retries.ts';
import { exitCodes } from './exitCodes.ts';

/** The waits before the work is started anew. */
const afterDeath = { firstMs: 2_000, factor: 2, longestMs: 600_000 };

export interface SuperviseDeps {
  /** The arguments of Node for the process that does the work. */
  readonly command: readonly string[];
  nowMs(): number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  readonly logger: Logger;
  /** Aborted when the work is to end in good order. */
  readonly signal: AbortSignal;
}

/** Resolves with an exit code when the work is done, or would fail again in the same way. */
export async function supervise(words: string, deps: SuperviseDeps): Promise<number> {
  const { logger, signal } = deps;
  let told = words;
  let deaths = 0;
  while (!signal.aborted) {
    const startedMs = deps.nowMs();
    const end = await workOnce(told, deps);
    if (end === exitCodes.done || end === exitCodes.failed) return end;
    // What lived for long did not die of how it began.
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
 * Resolves with what the process ended with: an exit code, a signal, or why it could not be
 * started.
 */
function workOnce(words: string, { command, signal }: SuperviseDeps): Promise<number | string> {
  const child = spawn(process.execPath, command, {
    stdio: ['pipe', 'inherit', 'inherit'],
    windowsHide: true,
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  // One that is gone takes no words; its exit says so.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${words}\n`);
  return new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => resolve(code ?? by ?? 'an unknown signal'));
  }).finally(() => signal.removeEventListener('abort', end));
}

/** The window was waited for already. */
const withoutGrace = (words: string): string =>
  JSON.stringify({ ...(JSON.parse(words) as object), graceMs: 0 });
