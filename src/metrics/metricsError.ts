import { HeliosError } from '../base/errors.ts';

/**
 * `gap`: bytes are missing between two calls of `ingest`. `no_space`, `io`: points could not be
 * written; they stay in memory and are written with the next points. `closed`: `dispose` was called
 * before.
 */
type MetricsErrorReason = 'gap' | 'no_space' | 'io' | 'closed';

export class MetricsError extends HeliosError {
  readonly reason: MetricsErrorReason;

  constructor(reason: MetricsErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
