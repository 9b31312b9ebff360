/** The child process of the background process, in which the sessions continue. */
import { parseHandover } from '../compose/handover.ts';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { exitCodes } from './exitCodes.ts';
import { keepOn } from './keepOn.ts';

/**
 * Continues the sessions that the window handed over in `words`, as JSON. Resolves with an exit
 * code when no session is left to continue.
 */
export async function work(words: string, logger: Logger, signal: AbortSignal): Promise<number> {
  // This variable made the executable of VS Code run as Node. Processes that the sessions start
  // must not inherit it.
  delete process.env['ELECTRON_RUN_AS_NODE'];
  process.once('uncaughtException', (error) => {
    logger.error('Uncaught error.', error);
    process.exit(exitCodes.fault);
  });
  try {
    await keepOn(parseHandover(words), { clock: systemClock, logger, signal });
    logger.info('No session is left to continue.');
    return exitCodes.done;
  } catch (error) {
    logger.error('The sessions cannot be continued.', error);
    return exitCodes.failed;
  }
}
