/** The contract of what a notification is sent through. */
import type { Clock } from '../base/clock.ts';
import { HeliosError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Message } from './notification.ts';

export interface Channel {
  /** For people: `webhook hooks.slack.com`. Holds no secret. */
  readonly name: string;
  /**
   * Resolves when it has been taken, and rejects with `NotifyFailure` when it has not; within a
   * minute or so in any case. It is made ready for this channel: bounded, and without secrets.
   */
  send(message: Message): Promise<void>;
}

/**
 * - `absent`: what it needs is not here (no desktop, no window)
 * - `settings`: what is set cannot be used
 * - `refused`: the other side does not want it
 * - `unreachable`: the other side does not answer
 */
export class NotifyFailure extends HeliosError {
  readonly reason: 'absent' | 'settings' | 'refused' | 'unreachable';

  constructor(reason: NotifyFailure['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What channels are made from. */
export interface ChannelDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fetch: typeof globalThis.fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A PEM file of certificates to trust beside those of Node. */
  caFile(): string | undefined;
  /**
   * `${env:NAME}` and `${secret:name}` replaced. Rejects with `NotifyFailure` where there is none.
   */
  resolve(text: string): Promise<string>;
  /** Takes secrets out. */
  redact(text: string): string;
  /** Shows it in the window. Absent: there is none. */
  readonly show?: ((message: Message) => void) | undefined;
}
