import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { retry, retryAfterMs, type RetryPolicy } from '../../base/retries.ts';
import { oneLine, formatDuration } from '../../base/text.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import type { Message } from '../notification.ts';
import type { WebhookSettings } from '../settings.ts';
import { webhookCall } from './webhookFormats.ts';

/** Time limit of one attempt, including the response body. */
const timeoutMs = 10_000;
/** Delays between attempts, unless a response has a `Retry-After` header. */
const policy: RetryPolicy = { firstMs: 1_000, factor: 2, maxRetries: 2 };
const longestWaitMs = 60_000;
/** Maximum number of bytes to read of an answer, which is only used in an error message. */
const maxBodyBytes = 64_000;

type Deps = Pick<ChannelDeps, 'fetch' | 'clock' | 'resolve' | 'redact'>;

export const webhookChannel = (settings: WebhookSettings, deps: Deps): Channel => ({
  name: `webhook ${hostOf(settings.url)}`,
  async send(message) {
    const [url, request] = await requestOf(settings, message, deps);
    await retry(policy, { clock: deps.clock, again }, () => attemptOnce(url, request, deps));
  },
});

/** Returns only the host of the URL, because the path may contain a key. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '(address from a variable)';
  }
}

async function requestOf(
  settings: WebhookSettings,
  message: Message,
  { resolve }: Deps,
): Promise<[string, RequestInit]> {
  const { method = 'POST', format = 'plain', headers = {} } = settings;
  const address = await resolve(settings.url);
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new NotifyFailure(
      'settings',
      'The address of the webhook is invalid. It must begin with http:// or https://.',
    );
  const headerEntries: [string, string][] = [];
  for (const [name, value] of Object.entries(headers))
    headerEntries.push([name, await resolve(value)]);
  const { url, body } = webhookCall(format, address, message);
  const isRead = method === 'GET';
  const json = isRead ? {} : { 'content-type': 'application/json' };
  return [
    isRead ? address : url,
    {
      method,
      headers: { ...json, ...Object.fromEntries(headerEntries) },
      redirect: 'manual',
      ...(!isRead && { body }),
    },
  ];
}

/** A failure that may be temporary, so the request is tried again. */
class Passing extends NotifyFailure {
  readonly #askedMs: number | undefined;

  constructor(reason: NotifyFailure['reason'], message: string, askedMs?: number) {
    super(reason, message);
    this.#askedMs = askedMs;
  }

  waitMs(backoffMs: number): number {
    return Math.min(longestWaitMs, this.#askedMs ?? backoffMs);
  }
}

const again = (error: unknown, backoffMs: number): number | undefined =>
  error instanceof Passing ? error.waitMs(backoffMs) : undefined;

async function attemptOnce(
  url: string,
  request: RequestInit,
  { fetch, clock, redact }: Deps,
): Promise<void> {
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () =>
    late.abort(new Error(`no answer within ${formatDuration(timeoutMs)}`)),
  );
  try {
    const response = await fetch(url, { ...request, signal: late.signal });
    const text = await beginningOf(response);
    if (!response.ok) throw refused(response, redact(text), clock);
  } catch (error) {
    if (error instanceof NotifyFailure) throw error;
    const why = late.signal.aborted ? messageOf(late.signal.reason) : reachText(error);
    throw new Passing('unreachable', `The service could not be reached: ${redact(why)}.`);
  } finally {
    timer.dispose();
  }
}

/**
 * Resolves with the beginning of the body, and cancels the rest, because the connection can be used
 * again only when the response has ended.
 */
async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, leftBytes] = ['', maxBodyBytes];
  // Leaving the loop cancels the rest of the body.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array> | readonly Uint8Array[]) {
    text += decoder.decode(part.subarray(0, leftBytes), { stream: true });
    leftBytes -= part.length;
    if (leftBytes <= 0) break;
  }
  return text;
}

function refused({ status, headers }: Response, text: string, clock: Clock): NotifyFailure {
  const bodyText = text.trim() === '' ? '' : ` (${oneLine(text, 120)})`;
  const hint =
    status >= 300 && status < 400 ? ' The address has moved: configure the new one.' : '';
  const message = `The service answered ${status}${bodyText}.${hint}`;
  if (status !== 429 && status < 500) return new NotifyFailure('refused', message);
  return new Passing('refused', message, retryAfterMs(headers.get('retry-after'), clock.now()));
}

/**
 * Returns why a service was not reached: the message of the error's cause if there is one, because
 * the message of a `fetch` error is only `fetch failed`.
 */
const reachText = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : messageOf(error);
