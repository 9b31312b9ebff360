import { HeliosError } from '../base/errors.ts';

/**
 * `gap`: bytes were left out between two calls of `ingest`. `no_space`, `io`: points could not be
 * written; they are kept in memory and written with the next ones. `closed`: the metrics were
 * disposed.
 */
type MetricsErrorReason = 'gap' | 'no_space' | 'io' | 'closed';

export class MetricsError extends HeliosError {
  readonly reason: MetricsErrorReason;

  constructor(reason: MetricsErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
