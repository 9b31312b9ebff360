/** Repeats failed operations. */
import { delay, type Clock } from './clock.ts';

/**
 * Waits between attempts. Either each wait is a multiple of the previous wait, or `waitsMs` lists
 * the waits and its last wait repeats.
 */
export type RetryPolicy = RetryLimits & (GrowingWaits | { readonly waitsMs: readonly number[] });

interface GrowingWaits {
  readonly firstMs: number;
  /** Ratio of each wait to the previous one. Default: 1, so that all waits are equal. */
  readonly factor?: number;
  readonly longestMs?: number;
}

interface RetryLimits {
  /**
   * Share of each wait, from 0 to 1, that is random. A random share prevents many clients from
   * retrying at the same time. Default: 0.
   */
  readonly jitter?: number;
  /** Maximum number of attempts after the first one. Default: no limit. */
  readonly maxRetries?: number;
  /**
   * Time after the start of the first attempt during which failures are retried. A later failure
   * is final. Default: no limit.
   */
  readonly withinMs?: number;
}

export interface RetryDeps {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Returns a random number in [0, 1) for `jitter`. */
  readonly random?: () => number;
  /**
   * Returns the wait before the next attempt, in milliseconds; `undefined` when another attempt is
   * pointless. `backoffMs` is the wait that the policy suggests. Not called after the last attempt.
   */
  again(error: unknown, backoffMs: number): number | undefined;
}

/**
 * Calls `attempt` until it succeeds, and resolves with its result. Rejects with the last failure
 * when no further attempt is allowed, or with the signal's reason when the signal is aborted during
 * a wait. `attempt` receives the number of previous attempts.
 */
export async function retry<T>(
  policy: RetryPolicy,
  { clock, signal, random, again }: RetryDeps,
  attempt: (retries: number) => Promise<T>,
): Promise<T> {
  const endMs = clock.now() + (policy.withinMs ?? Infinity);
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (error) {
      const isLast =
        retries >= (policy.maxRetries ?? Infinity) || clock.now() >= endMs || signal?.aborted;
      const waitMs = isLast ? undefined : again(error, backoffMs(policy, retries, random));
      if (waitMs === undefined) throw error;
      await delay(clock, waitMs, signal);
    }
  }
}

/**
 * Returns the wait that the policy suggests before the next attempt. `retries` is the number of
 * previous retries: 0 after the first failure.
 */
export function backoffMs(
  policy: RetryPolicy,
  retries: number,
  random: () => number = Math.random,
): number {
  const { jitter = 0 } = policy;
  return Math.round(fullWaitMs(policy, retries) * (1 - jitter + jitter * random()));
}

function fullWaitMs(policy: RetryPolicy, retries: number): number {
  if ('waitsMs' in policy) return policy.waitsMs[retries] ?? policy.waitsMs.at(-1) ?? 0;
  const { firstMs, factor = 1, longestMs = Infinity } = policy;
  return Math.min(longestMs, firstMs * factor ** retries);
}

/**
 * Returns the wait that a `Retry-After` header requests, in seconds or as a date. Returns
 * `undefined` when the header is missing or invalid.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = text === '' ? NaN : Number(text);
  const ms = seconds >= 0 ? seconds * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
