/** Retries of failed operations. */
import { delay, type Clock } from './clock.ts';

/** Waits between attempts: growing from the first one, or listed, with the last one repeated. */
export type RetryPolicy = RetryLimits & (GrowingWaits | { readonly waitsMs: readonly number[] });

interface GrowingWaits {
  readonly firstMs: number;
  /** Default: 1, so that each wait is as long as the first. */
  readonly factor?: number;
  readonly longestMs?: number;
}

interface RetryLimits {
  /** Random share of each wait, so that many clients do not retry at the same time. Default: 0. */
  readonly jitter?: number;
  /** Attempts after the first one. Default: no limit. */
  readonly maxRetries?: number;
  /** No retry follows a failure later than this after the start. Default: no limit. */
  readonly withinMs?: number;
}

export interface RetryDeps {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Returns a number in [0, 1), for the jitter. */
  readonly random?: () => number;
  /**
   * Returns the wait before the next attempt, given the wait of the policy, or `undefined` when a
   * retry is pointless. Not called after the last attempt.
   */
  again(error: unknown, backoffMs: number): number | undefined;
}

/**
 * Resolves with the result of the first successful attempt. Rejects with the failure of the last
 * one, or with the reason of the signal when it is aborted during a wait. `attempt` receives the
 * number of previous attempts.
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
 * Returns the wait of the policy before the next attempt, after `retries` retries: 0 after the
 * first failure.
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
 * Returns the wait that a `Retry-After` header requests, in seconds or as a date; `undefined`
 * without one.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = text === '' ? NaN : Number(text);
  const ms = seconds >= 0 ? seconds * 1000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
