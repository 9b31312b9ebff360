/**
 * What a test may ask of the time that something takes, on a machine that does other things as
 * well.
 */
import { availableParallelism, loadavg } from 'node:os';
import { systemClock, type Clock } from '../../src/base/clock.ts';

/** Beyond it a time says nothing any more. */
const maxTimes = 3;

/**
 * So many milliseconds; up to three times as many where more is at work than there are processors
 * for.
 */
export const atPace = (ms: number): number =>
  ms * Math.min(maxTimes, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));

/** A clock for time limits that pass only if something never comes. */
export const patientClock: Clock = {
  now: () => systemClock.now(),
  after: (delayMs, callback) => systemClock.after(20 * delayMs, callback),
};
