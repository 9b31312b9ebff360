/**
 * Retries calls to models. The SDKs' own retries are turned off, so that every attempt is visible,
 * counted and interruptible.
 */
import { delay, type Clock } from '../base/clock.ts';
import { backoffMs } from '../base/retries.ts';
import type { ModelStream } from './guarded.ts';
import {
  noUsage,
  sumOf,
  type ModelEvent,
  type ModelFailure,
  type ModelFailureReason,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from './model.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Returns a number in [0, 1), for the jitter. */
  readonly random?: () => number;
  /** Maximum number of attempts after the first. */
  readonly maxRetries?: number;
  /** Maximum wait if the provider requests none. */
  readonly maxBackoffMs?: number;
  /**
   * Maximum wait that a provider may request. If the provider requests a longer wait, the failure
   * is returned immediately, with the requested wait.
   */
  readonly maxRetryAfterMs?: number;
}

/** Half of each wait is random, so that many sessions do not retry together. */
const backoff = { firstMs: 1000, factor: 2, jitter: 0.5 };

const isTemporary: Readonly<Record<ModelFailureReason, boolean>> = {
  rate_limit: true,
  network: true,
  server: true,
  auth: false,
  credit: false,
  not_api: false,
  overflow: false,
  refused: false,
  invalid: false,
};

/**
 * Retries a failed call when waiting can help. After `attempt.discarded`, the events of the failed
 * attempt are no longer valid: the reply is that of the last attempt. An abort ends a wait
 * immediately, without another call.
 */
export function retrying(stream: ModelStream, options: RetryOptions): ModelStream {
  return (request, signal) => retry(stream, options, request, signal);
}

async function* retry(
  stream: ModelStream,
  options: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  let discarded = noUsage;
  for (let retries = 0; ; retries++) {
    const reply = yield* oneAttempt(stream(request, signal));
    const wait = reply.failure && waitBefore(retries, reply.failure, options);
    if (wait === undefined)
      return yield { type: 'finished', reply: withDiscarded(reply, discarded) };
    discarded = sumOf(discarded, reply.usage);
    yield { type: 'attempt.discarded', ...wait };
    if (!(await waited(wait.delayMs, options.clock, signal)))
      return yield { type: 'finished', reply: withDiscarded(abandoned(reply), discarded) };
  }
}

/** Yields the events of the attempt and returns its reply. */
async function* oneAttempt(
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, ModelReply> {
  for await (const event of events) {
    if (event.type === 'finished') return event.reply;
    yield event;
  }
  throw new Error('The stream ended without its last event: wrap it in guarded()');
}

function waitBefore(
  retries: number,
  failure: ModelFailure,
  options: RetryOptions,
): { failure: ModelFailure; delayMs: number } | undefined {
  const { random, maxRetries = 5, maxBackoffMs = 60_000, maxRetryAfterMs = 10 * 60_000 } = options;
  const { retryAfterMs = 0 } = failure;
  if (!isTemporary[failure.reason] || retries >= maxRetries || retryAfterMs > maxRetryAfterMs)
    return undefined;
  const delayMs = backoffMs({ ...backoff, longestMs: maxBackoffMs }, retries, random);
  return { failure, delayMs: Math.max(retryAfterMs, delayMs) };
}

const waited = (delayMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> =>
  delay(clock, delayMs, signal).then(
    () => true,
    () => false,
  );

const abandoned = ({ model }: ModelReply): ModelReply => ({
  content: [],
  stop: 'aborted',
  usage: noUsage,
  model,
});

const isNothing = (usage: Usage): boolean => Object.values(usage).every((tokens) => tokens === 0);

const withDiscarded = (reply: ModelReply, discardedUsage: Usage): ModelReply =>
  isNothing(discardedUsage) ? reply : { ...reply, discardedUsage };
