/**
 * Notices a link that is gone without a word. Whatever arrives is a sign of life: the answer to a
 * probe may be long.
 */
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../base/clock.ts';

/** Each of these, the server is to be asked for a sign. */
export const probeEveryMs = 5000;
const maxSilent = 3;

/**
 * Destroys `way` when nothing has arrived for `mostSilent` to one more intervals. What is sent
 * queues behind what was sent before, so on a slow way up a probe is answered late, but what the
 * server makes room for comes all the time.
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
