/**
 * The background process. A VS Code window starts this process, which outlives the window. While
 * the window is open, the process is small and only reads from standard input which sessions to
 * continue. When the input ends, a child process continues the sessions, and is restarted if it
 * dies. Logs go to standard error.
 */
import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../base/logger.ts';
import { exitCodes } from './exitCodes.ts';
import { lastMessages } from './standBy.ts';
import { supervise } from './supervise.ts';

/** Command-line argument of the child process, which continues the sessions. */
const workArgument = 'work';

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
  const words = await lastMessages(process.stdin, (problem) => logger.warn(problem));
  if (words === undefined) {
    logger.error('The window closed without sending a valid message.');
    return exitCodes.failed;
  }
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  if (process.argv[2] === workArgument)
    return (await import('./work.ts')).work(words, logger, stop.signal);
  return supervise(words, {
    command: [...process.execArgv, process.argv[1] ?? '', workArgument],
    logger,
    signal: stop.signal,
    nowMs: () => Date.now(),
    wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
  });
}

void main().then((code) => process.exit(code));
