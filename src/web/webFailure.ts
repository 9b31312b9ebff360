import { HeliosError } from '../base/errors.ts';

/**
 * - `address`: not an address that may be fetched · `status`: the server refused or failed ·
 *   `network`: no whole answer · `timeout`: not within the time limit · `content`: what came cannot
 *   be read · `search`: the search cannot be used.
 */
export type WebFailureReason = 'address' | 'status' | 'network' | 'timeout' | 'content' | 'search';

type WebFailureOptions = ErrorOptions & {
  readonly status?: number;
  readonly retryAfterMs?: number;
};

/**
 * Something of the web that was not to be had. Its message says what to try next, and quotes no
 * page.
 */
export class WebFailure extends HeliosError {
  readonly reason: WebFailureReason;
  /** Of the answer, where the reason is `status`. */
  readonly status: number | undefined;
  /**
   * Defined where the same request may get another answer; the least that the server asks to wait
   * before.
   */
  readonly retryAfterMs: number | undefined;

  constructor(reason: WebFailureReason, message: string, options?: WebFailureOptions) {
    super(message, options);
    this.reason = reason;
    this.status = options?.status;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
