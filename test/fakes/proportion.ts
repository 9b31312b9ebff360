/**
 * What a test may ask of the time that something takes: nothing that depends on the machine or on
 * what else it does.
 */
import assert from 'node:assert/strict';

const part = 1 / 8;
const tries = 5;
/** Clocks of processor time tick in steps of some milliseconds. */
const tickMs = 10;

/**
 * Eight times as much takes about eight times as long, and by far not sixty-four times. `work` does
 * that share of the whole each time that it is called, anew. Measured is the processor time of this
 * process.
 */
export function assertInProportion(work: (share: number) => unknown, what = 'it'): void {
  work(part);
  const some = bestProcessorMs(() => work(part));
  let all = Infinity;
  for (let count = 0; count < tries && all >= 32 * some + tickMs; count += 1)
    all = Math.min(
      all,
      processorMs(() => work(1)),
    );
  assert.ok(all < 32 * some + tickMs, `${what}: ${all} ms, and ${some} ms for an eighth of it`);
}

/**
 * The least processor time that it takes, of several times: what else the machine does is not part
 * of it.
 */
export const bestProcessorMs = (work: () => unknown): number =>
  Math.min(...Array.from({ length: tries }, () => processorMs(work)));

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
