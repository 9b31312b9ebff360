/** Formats times. */

const two = (part: number): string => String(part).padStart(2, '0');

/** Returns, for example, `14:03:27`, in the local time zone. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Returns, for example, `2026-11-20 14:03:27`, in the local time zone. */
export function exactTime(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(atMs)}`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a duration with at most two units: `40 s`, `12 min`, `2 h 10 min`, `3 d 4 h`. */
export function span(spanMs: number): string {
  const whole = Math.max(0, spanMs);
  if (whole < minuteMs) return `${Math.floor(whole / 1000)} s`;
  if (whole < hourMs) return `${Math.floor(whole / minuteMs)} min`;
  const [unitMs, unit, restMs, rest] =
    whole < dayMs ? [hourMs, 'h', minuteMs, 'min'] : [dayMs, 'd', hourMs, 'h'];
  const remainder = Math.floor((whole % Number(unitMs)) / Number(restMs));
  return `${Math.floor(whole / Number(unitMs))} ${unit}${remainder > 0 ? ` ${remainder} ${rest}` : ''}`;
}

/** Formats a time relative to now: `in 12 min`, `40 s ago`. */
export const relative = (atMs: number, nowMs: number): string =>
  atMs > nowMs ? `in ${span(atMs - nowMs)}` : `${span(nowMs - atMs)} ago`;
