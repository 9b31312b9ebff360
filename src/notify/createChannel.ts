import { assertNever } from '../base/errors.ts';
import { cutText, oneLine } from '../base/text.ts';
import type { Channel, ChannelDeps } from './channel.ts';
import { commandChannel } from './channels/commandChannel.ts';
import { desktopChannel } from './channels/desktopChannel.ts';
import { emailChannel } from './channels/emailChannel.ts';
import { webhookChannel } from './channels/webhookChannel.ts';
import { windowChannel } from './channels/windowChannel.ts';
import type { Message } from './notification.ts';
import type { ChannelSettings } from './settings.ts';

/**
 * Creates a channel that limits the length of its messages, and removes known secrets and text that
 * looks like a secret.
 */
export function createChannel(settings: ChannelSettings, deps: ChannelDeps): Channel {
  const { name, send } = bareChannel(settings, deps);
  return { name, send: (message) => send(cleaned(message, deps.redact)) };
}

function bareChannel(settings: ChannelSettings, deps: ChannelDeps): Channel {
  switch (settings.type) {
    case 'vscode':
      return windowChannel(deps);
    case 'desktop':
      return desktopChannel(deps);
    case 'webhook':
      return webhookChannel(settings, deps);
    case 'email':
      return emailChannel(settings, deps);
    case 'command':
      return commandChannel(settings, deps);
    default:
      return assertNever(settings);
  }
}

const maxBodyChars = 1_500;

/** Returns the message with limited length and without secrets. */
export const cleaned = (message: Message, redact: ChannelDeps['redact']): Message => ({
  ...message,
  title: oneLine(redact(message.title), 150),
  body: cutText(redact(message.body), maxBodyChars),
  goal: oneLine(redact(message.goal), 200),
});
