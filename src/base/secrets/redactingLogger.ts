import type { Logger } from '../logger.ts';
import type { Redactor } from './redactor.ts';

/** Returns a logger that redacts messages, errors and other details. */
export function redactingLogger(logger: Logger, { redact }: Pick<Redactor, 'redact'>): Logger {
  const all = (details: readonly unknown[]): unknown[] => details.map((each) => redacted(each));
  const redacted = (detail: unknown): unknown => {
    if (detail instanceof Error) return errorText(detail);
    return typeof detail === 'string' ? redact(detail) : detail;
  };
  const errorText = (error: Error): Error | string => {
    const text = error.stack ?? error.message;
    const clean = redact(text);
    return clean === text && redact(error.message) === error.message ? error : clean;
  };
  return {
    debug: (message, ...details) => logger.debug(redact(message), ...all(details)),
    info: (message, ...details) => logger.info(redact(message), ...all(details)),
    warn: (message, ...details) => logger.warn(redact(message), ...all(details)),
    error: (message, ...details) =>
      logger.error(
        typeof message === 'string' ? redact(message) : errorText(message),
        ...all(details),
      ),
  };
}
