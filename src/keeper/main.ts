/**
 * The keeper: a process that a window starts beside itself and that outlives it. It reads on its standard input what it
 * would have to go on with; when that input ends, it goes on. What it has to say goes to its standard error.
 */
import type { Logger } from '../base/logger.ts';
import { lastWords } from './standBy.ts';

const exitCodes = { done: 0, failed: 1 } as const;
/** How long after a fault it begins anew; twice as long after each more. */
const afterFaultMs = 2_000;
const longestWaitMs = 600_000;

function say(level: string, message: string | Error, details: readonly unknown[]): void {
  const texts = [message, ...details].map((part) =>
    part instanceof Error ? (part.stack ?? part.message) : String(part),
  );
  process.stderr.write(`${new Date().toISOString()} ${process.pid} ${level} ${texts.join(' ')}\n`);
}

const logger: Logger = {
  debug: () => undefined,
  info: (message, ...details) => say('info', message, details),
  warn: (message, ...details) => say('warning', message, details),
  error: (message, ...details) => say('error', message, details),
};

async function main(): Promise<number> {
  // Only this process is to be taken for Node, not what the sessions start.
  delete process.env['ELECTRON_RUN_AS_NODE'];
  const words = await lastWords(process.stdin, (problem) => logger.warn(problem));
  if (words === undefined) {
    logger.error('The window ended without leaving anything to go on with.');
    return exitCodes.failed;
  }
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  try {
    await goOn(words, stop.signal);
    logger.info('Nothing is left to do here.');
    return exitCodes.done;
  } catch (error) {
    logger.error('Cannot go on.', error);
    return exitCodes.failed;
  }
}

/** A fault that nobody caught ends no night: the sessions are let go of, and taken up again from their journals. */
async function goOn(words: string, signal: AbortSignal): Promise<void> {
  const [{ parseHandover }, { keepOn }, { systemClock }] = await Promise.all([
    import('../agent/session/handover.ts'),
    import('./keepOn.ts'),
    import('../base/clock.ts'),
  ]);
  let handover = parseHandover(words);
  let fault = new AbortController();
  process.on('uncaughtException', (error) => {
    logger.error('A fault that nobody caught.', error);
    fault.abort();
  });
  for (let waitMs = afterFaultMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    fault = new AbortController();
    await keepOn(handover, { clock: systemClock, logger, signal: AbortSignal.any([signal, fault.signal]) });
    if (!fault.signal.aborted || signal.aborted) return;
    logger.info(`Begins anew in ${waitMs / 1000} s.`);
    handover = { ...handover, graceMs: waitMs };
  }
}

void main().then((code) => process.exit(code));
