import { HeliosError } from '../base/errors.ts';

/**
 * Reasons why a web request failed:
 * - `address`: the address must not be fetched
 * - `status`: the server refused the request or failed
 * - `network`: no complete answer was received
 * - `timeout`: the time limit was exceeded
 * - `content`: the content is unreadable
 * - `search`: the search service is unavailable
 */
export type WebFailureReason = 'address' | 'status' | 'network' | 'timeout' | 'content' | 'search';

type WebFailureOptions = ErrorOptions & {
  readonly status?: number;
  readonly retryAfterMs?: number;
};

/** A failed web request. The message never contains text of the page. */
export class WebFailure extends HeliosError {
  readonly reason: WebFailureReason;
  /** HTTP status; set for the reason `status`. */
  readonly status: number | undefined;
  /**
   * Time to wait before a retry, in milliseconds: as the server requests, or 0. `undefined` if the
   * request is not retried.
   */
  readonly retryAfterMs: number | undefined;

  constructor(reason: WebFailureReason, message: string, options?: WebFailureOptions) {
    super(message, options);
    this.reason = reason;
    this.status = options?.status;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
