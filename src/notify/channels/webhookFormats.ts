/** Formats a notification for each service. */
import { assertNever } from '../../base/errors.ts';
import { cutText } from '../../base/text.ts';
import { fullText, isUrgent, payloadOf, type Message } from '../notification.ts';
import type { NotifyEvent, WebhookSettings } from '../settings.ts';

export interface WebhookCall {
  readonly url: string;
  readonly body: string;
}

/**
 * Returns the request that sends the message. `url` is the URL of the settings, including its
 * secrets.
 */
export function webhookCall(
  format: NonNullable<WebhookSettings['format']>,
  url: string,
  message: Message,
): WebhookCall {
  switch (format) {
    case 'plain':
      return { url, body: JSON.stringify(payloadOf(message)) };
    case 'slack':
      return {
        url,
        body: JSON.stringify({
          text: cutText(`*${slack(message.title)}*\n${slack(fullText(message))}`, 3_000),
        }),
      };
    case 'discord':
      return { url, body: JSON.stringify(discord(message)) };
    case 'ntfy':
      return ntfy(url, message);
    default:
      return assertNever(format);
  }
}

/** Escapes the text for Slack, which treats text between < and > as a mention or a link. */
const slack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns the message for Discord: at most 2000 characters, with mentions disabled. */
const discord = (message: Message): object => ({
  username: 'Helios',
  content: cutText(
    `**${message.title.replace(/[*_`~|\\]/g, '\\$&')}**\n${fullText(message)}`,
    2_000,
  ),
  allowed_mentions: { parse: [] },
});

/**
 * Returns the request for ntfy. Publishes JSON at the root of the server, with the last part of the
 * path as the topic, because only JSON allows any characters in the title.
 */
function ntfy(address: string, message: Message): WebhookCall {
  const url = new URL(address);
  const [topic = '', ...before] = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .reverse();
  url.pathname = `/${before.reverse().join('/')}`;
  const body = {
    topic: decodeURIComponent(topic),
    title: message.title,
    message: fullText(message),
    priority: isUrgent(message) ? 4 : 3,
    tags: [tags[message.event] ?? 'test_tube'],
  };
  return { url: url.href, body: JSON.stringify(body) };
}

const tags: Partial<Record<NotifyEvent, string>> = {
  goal_met: 'tada',
  error: 'rotating_light',
  alarm: 'warning',
  question: 'question',
  approval: 'question',
  budget: 'moneybag',
};
