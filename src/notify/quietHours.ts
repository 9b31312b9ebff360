/** Hours in which nobody wants to be told, in the local time of the computer. */
import type { NotifyEvent, QuietHours } from './settings.ts';

/**
 * When the quiet that `nowMs` lies in ends; undefined outside of it. Right across midnight and on
 * days that are longer or shorter.
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

/** A time that a day does not have is the one an hour later. */
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
