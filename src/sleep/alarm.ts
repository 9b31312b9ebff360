import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';

/** A computer that was suspended, or whose clock was set, is at most this late. */
const recheckMs = 30_000;

/**
 * Calls `callback` once, never at once, when the time is `atMs` (milliseconds since the epoch) or
 * later, or as much time has passed as there was until then: a clock that is set back makes it no
 * later.
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
