import { toDisposable, type Disposable } from './disposable.ts';
import { WallClock } from './wallClock.ts';

/** The only source of time in Helios. Tests pass a clock that they advance by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `delayMs`. Disposing the result cancels the call. */
  after(delayMs: number, callback: () => void): Disposable;
}

/**
 * Longest delay that a Node timer supports. For a longer delay, several timers run one after
 * another.
 */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = new WallClock({
  now: () => Date.now(),
  after(delayMs, callback, isIdle = false) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const nextMs = Math.min(leftMs, maxTimerMs);
      timer = setTimeout(() => (leftMs > nextMs ? arm(leftMs - nextMs) : callback()), nextMs);
      if (isIdle) timer.unref();
    };
    arm(Math.max(0, delayMs));
    return toDisposable(() => clearTimeout(timer));
  },
});

/** Resolves after `delayMs`. Rejects with the signal's reason as soon as the signal is aborted. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      timer.dispose();
      reject(abortReason(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Resolves when `promise` resolves or after `timeoutMs`. Rejects if `promise` rejects within that
 * time.
 */
export async function waitAtMost(
  clock: Clock,
  timeoutMs: number,
  promise: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const timeout = delay(clock, timeoutMs, over.signal).catch(() => undefined);
  await Promise.race([promise, timeout]).finally(() => over.abort());
}

const abortReason = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('aborted');
