/** The child process that does the work of the background process. */
import { parseHandover } from '../compose/handover.ts';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { exitCodes } from './exitCodes.ts';
import { keepOn } from './keepOn.ts';

/** Continues the sessions of the handover. Resolves with an exit code when no session is left. */
export async function work(words: string, logger: Logger, signal: AbortSignal): Promise<number> {
  // This variable makes this process run as Node. The sessions' own processes must not inherit it.
  delete process.env['ELECTRON_RUN_AS_NODE'];
  process.once('uncaughtException', (error) => {
    logger.error('A fault that nobody caught.', error);
    process.exit(exitCodes.fault);
  });
  try {
    await keepOn(parseHandover(words), { clock: systemClock, logger, signal });
    logger.info('Nothing is left to do here.');
    return exitCodes.done;
  } catch (error) {
    logger.error('Cannot go on.', error);
    return exitCodes.failed;
  }
}
