/**
 * Detects a connection that was lost without notice. Any received data, not only the answer to a
 * keepalive, shows that the connection works, because that answer may be late.
 */
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../base/clock.ts';

/** Interval between two keepalives to the server. */
export const probeEveryMs = 5000;
const maxSilent = 3;

/**
 * Destroys `socket` when nothing has arrived for `maxSilent` to `maxSilent` + 1 intervals.
 * Keepalives wait behind earlier output, so their answers may be late on a slow uplink, but the
 * server's window adjustments still arrive.
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
