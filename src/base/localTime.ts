/** Formats a time as `2026-11-20 14:03:27`, in the time zone of this computer. */
export function exactTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Formats a time as `14:03` if it is on the same day as `nowMs`, otherwise as `11-21 14:03`. */
export function clockTime(atMs: number, nowMs: number): string {
  const exact = exactTime(atMs);
  return exact.slice(0, 10) === exactTime(nowMs).slice(0, 10)
    ? exact.slice(11, 16)
    : exact.slice(5, 16);
}

/**
 * Formats a stretch of time as `08:35:14–10:45:20` if it lies within a day, otherwise as two exact
 * times.
 */
export function timeRange(fromMs: number, toMs: number): string {
  const [from, to] = [exactTime(fromMs), exactTime(toMs)];
  return from.slice(0, 10) === to.slice(0, 10)
    ? `${from.slice(11)}–${to.slice(11)}`
    : `${from}–${to}`;
}
