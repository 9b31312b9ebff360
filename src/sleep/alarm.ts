import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';

/**
 * Longest single timer. The clock is read again at the end of each timer, so that an alarm is late
 * by at most this time after the computer was suspended or its clock was set.
 */
const recheckMs = 30_000;

/**
 * Calls `callback` once, never synchronously: when the clock reaches `atMs` (milliseconds since the
 * epoch) or when the time between the call and `atMs` has elapsed, whichever is earlier. Therefore,
 * the alarm is not late if the clock is set back.
 */
export function alarmAt(clock: Clock, atMs: number, callback: () => void): Disposable {
  let timer: Disposable;
  const arm = (leftMs: number): void => {
    const waitMs = Math.max(0, Math.min(leftMs, recheckMs));
    timer = clock.after(waitMs, () => {
      const nextMs = Math.min(leftMs - waitMs, atMs - clock.now());
      if (nextMs > 0) arm(nextMs);
      else callback();
    });
  };
  arm(atMs - clock.now());
  return toDisposable(() => timer.dispose());
}
