import { delay, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import type { Message } from '../notification.ts';
import type { WebhookSettings } from '../settings.ts';
import { webhookCall } from './webhookFormats.ts';

/** For one attempt, the body of the answer included. */
const timeoutMs = 10_000;
const attempts = 3;
/** Where the other side does not say when to come back. */
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

type Deps = Pick<ChannelDeps, 'fetch' | 'clock' | 'resolve' | 'redact'>;

export const webhookChannel = (settings: WebhookSettings, deps: Deps): Channel => ({
  name: `webhook ${hostOf(settings.url)}`,
  async send(message) {
    const [url, request] = await requestOf(settings, message, deps);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await attemptOnce(url, request, deps);
      if (answer.kind === 'taken') return;
      if (!answer.mayRetry || attempt === attempts) throw answer.failure;
      await delay(deps.clock, answer.waitMs ?? firstWaitMs * 2 ** (attempt - 1));
    }
  },
});

/** What follows the host may be a key. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '(address by its name)';
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
    throw new NotifyFailure('settings', 'The address of the webhook is none: it must begin with http:// or https://.');
  const own: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) own.push([name, await resolve(value)]);
  const { url, body } = webhookCall(format, address, message);
  const isRead = method === 'GET';
  const json = isRead ? {} : { 'content-type': 'application/json' };
  return [
    isRead ? address : url,
    { method, headers: { ...json, ...Object.fromEntries(own) }, redirect: 'manual', ...(!isRead && { body }) },
  ];
}

type Answer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly failure: NotifyFailure; readonly mayRetry: boolean; readonly waitMs?: number };

async function attemptOnce(url: string, request: RequestInit, { fetch, clock, redact }: Deps): Promise<Answer> {
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
  try {
    const response = await fetch(url, { ...request, signal: late.signal });
    // Read whole, so that the connection is free again.
    const text = await response.text();
    return response.ok ? { kind: 'taken' } : refused(response, redact(text), clock);
  } catch (error) {
    const why = late.signal.aborted ? messageOf(late.signal.reason) : reachText(error);
    const failure = new NotifyFailure('unreachable', `It could not be reached: ${redact(why)}.`);
    return { kind: 'failed', failure, mayRetry: true };
  } finally {
    timer.dispose();
  }
}

function refused({ status, headers }: Response, text: string, clock: Clock): Answer {
  const said = text.trim() === '' ? '' : ` (${oneLine(text, 120)})`;
  const hint = status >= 300 && status < 400 ? ' The address has moved: write the new one.' : '';
  const failure = new NotifyFailure('refused', `It answered ${status}${said}.${hint}`);
  const waitMs = waitOf(headers.get('retry-after'), clock);
  return {
    kind: 'failed',
    failure,
    mayRetry: status === 429 || status >= 500,
    ...(waitMs !== undefined && { waitMs }),
  };
}

/** Seconds or a date. */
function waitOf(text: string | null, clock: Clock): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - clock.now();
  return Number.isFinite(ms) ? Math.min(longestWaitMs, Math.max(0, ms)) : undefined;
}

/** `fetch failed` says less than its cause. */
const reachText = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : messageOf(error);
