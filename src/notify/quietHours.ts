/** Computes quiet hours, in the local time of the computer. */
import type { NotifyEvent, QuietHours } from './settings.ts';

/**
 * Returns when the quiet hours around `nowMs` end; `undefined` outside of them. Correct across
 * midnight and on days with a clock change.
 */
export function quietUntil({ from, to }: QuietHours, nowMs: number): number | undefined {
  const isOverMidnight = to <= from;
  for (const day of [-1, 0]) {
    const startMs = localTime(nowMs, day, from);
    const endMs = localTime(nowMs, isOverMidnight ? day + 1 : day, to);
    if (nowMs >= startMs && nowMs < endMs) return endMs;
  }
  return undefined;
}

export const passesQuiet = ({ except = [] }: QuietHours, event: NotifyEvent): boolean =>
  except.includes(event);

/**
 * Returns a time of day as milliseconds since the epoch. A time that a clock change skips counts as
 * one hour later.
 */
function localTime(nowMs: number, dayOffset: number, time: string): number {
  const date = new Date(nowMs);
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(
    date.getFullYear(),
    date.getMonth(),
    date.getDate() + dayOffset,
    hours,
    minutes,
  ).getTime();
}
