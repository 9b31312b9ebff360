import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';

/** A computer that was suspended, or whose clock was set, is at most this late. */
const recheckMs = 30_000;

/** Calls `callback` once, never at once, when the time is `atMs` (milliseconds since the epoch) or later. */
export function alarmAt(clock: Clock, atMs: number, callback: () => void): Disposable {
  let timer: Disposable;
  const arm = (): void => {
    const leftMs = Math.max(0, atMs - clock.now());
    timer = clock.after(Math.min(leftMs, recheckMs), () => (clock.now() >= atMs ? callback() : arm()));
  };
  arm();
  return toDisposable(() => timer.dispose());
}
