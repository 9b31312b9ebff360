/**
 * Detects a silently lost connection. Any received data counts as a sign of life, as the answer to
 * a probe may be late.
 */
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../base/clock.ts';

/** Interval at which the server is probed. */
export const probeEveryMs = 5000;
const maxSilent = 3;

/**
 * Destroys `socket` when nothing has arrived for `maxSilent` to `maxSilent` + 1 intervals. Probes
 * queue behind earlier output, so on a slow uplink their answers are late; the server's window
 * adjustments still arrive all the time.
 */
export function watchLife(socket: Duplex, clock: Clock = systemClock): void {
  let hasArrived = true;
  let silent = 0;
  socket.on('data', () => (hasArrived = true));
  const check = (): void => {
    silent = hasArrived ? 0 : silent + 1;
    hasArrived = false;
    if (silent >= maxSilent) socket.destroy();
    else next = clock.after(probeEveryMs, check);
  };
  let next = clock.after(probeEveryMs, check);
  socket.once('close', () => next.dispose());
}
