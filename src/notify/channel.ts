/** The contract of a notification channel. */
import type { Clock } from '../base/clock.ts';
import { HeliosError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Message } from './notification.ts';

export interface Channel {
  /** Name for the user, without secrets: `webhook hooks.slack.com`. */
  readonly name: string;
  /**
   * Sends a message that is already bounded and free of secrets. Resolves when it was accepted, and
   * rejects with `NotifyFailure` otherwise, within about a minute.
   */
  send(message: Message): Promise<void>;
}

/**
 * - `absent`: this computer lacks what the channel needs (no desktop, no window)
 * - `settings`: the settings cannot be used
 * - `refused`: the service rejected the message
 * - `unreachable`: the service does not answer
 */
export class NotifyFailure extends HeliosError {
  readonly reason: 'absent' | 'settings' | 'refused' | 'unreachable';

  constructor(reason: NotifyFailure['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Dependencies of the channels. */
export interface ChannelDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fetch: typeof globalThis.fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns a PEM file of certificates to trust in addition to those of Node. */
  caFile(): string | undefined;
  /**
   * Replaces `${env:NAME}` and `${secret:name}`. Rejects with `NotifyFailure` if one does not
   * exist.
   */
  resolve(text: string): Promise<string>;
  /** Removes secrets. */
  redact(text: string): string;
  /** Shows the message in the window. Omitted if there is none. */
  readonly show?: ((message: Message) => void) | undefined;
}
