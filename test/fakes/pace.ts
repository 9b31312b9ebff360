/** What a test may ask of the time that something takes, on a machine that does other things as well. */
import { availableParallelism, loadavg } from 'node:os';

/** So many milliseconds; more where more is at work than there are processors for. */
export const atPace = (ms: number): number => ms * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** The processor time that it takes, in milliseconds: what else the machine does is not part of it. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
