import { delay, type Clock } from '../base/clock.ts';
import type { FollowSink } from './machine.ts';

/** Maximum number of bytes that are passed to a sink at once. */
const sliceBytes = 64 * 1024;
/** Milliseconds that the sink may spend on a slice before a pause follows. */
const longMs = 8;

export interface PacedDelivery {
  readonly sink: Pick<FollowSink, 'onBytes'>;
  readonly clock: Clock;
  /** Aborted when the sink must not receive more bytes. */
  readonly signal: AbortSignal;
}

/**
 * Passes the bytes of a followed file to a sink in slices. If the sink takes long for a slice,
 * pauses for the same time, so that a run that prints without end uses at most half of the time of
 * this process. `offset` is the position of the first byte in the file.
 */
export async function deliver(
  { sink, clock, signal }: PacedDelivery,
  bytes: Uint8Array,
  offset: number,
): Promise<void> {
  for (let start = 0; start < bytes.length && !signal.aborted; start += sliceBytes) {
    const startMs = clock.now();
    const settled = sink.onBytes(bytes.subarray(start, start + sliceBytes), offset + start);
    const tookMs = clock.now() - startMs;
    await settled;
    if (tookMs >= longMs) await delay(clock, tookMs, signal).catch(() => undefined);
  }
}
