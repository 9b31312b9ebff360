/** The contract of a notification channel. */
import type { Clock } from '../base/clock.ts';
import { HeliosError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Message } from './notification.ts';

export interface Channel {
  /** Name of the channel for the user, without secrets: `webhook hooks.slack.com`. */
  readonly name: string;
  /**
   * Sends a message whose length is already limited and which contains no secrets. Resolves when
   * the service has accepted the message; otherwise rejects with `NotifyFailure`, within about a
   * minute.
   */
  send(message: Message): Promise<void>;
}

/**
 * A notification that was not sent. `reason`:
 * - `absent`: this computer lacks what the channel needs (a desktop or a window)
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
  /**
   * Resolves with the address to which the host resolves. Set for channels that may connect only to
   * public addresses; rejects with `NotifyFailure` if the host has a private address.
   */
  addressOf?(host: string): Promise<string>;
  /**
   * Returns the path of a PEM file with certificates to trust in addition to those of Node;
   * `undefined` for none.
   */
  caFile(): string | undefined;
  /**
   * Replaces `${env:NAME}` and `${secret:name}` in `text` by their values. Rejects with
   * `NotifyFailure` if a value does not exist.
   */
  resolve(text: string): Promise<string>;
  /** Removes secrets from `text`. */
  redact(text: string): string;
  /** Shows the message in the window of VS Code. Omitted if there is no window. */
  readonly show?: ((message: Message) => void) | undefined;
}
