/** Formats durations for lists: short, and with little change of width. */
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Returns at most two units: `40 s`, `12 min`, `2 h 10 min` or `3 d 4 h`. */
export function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span < minuteMs) return `${Math.floor(span / 1000)} s`;
  if (span < hourMs) return `${Math.floor(span / minuteMs)} min`;
  if (span < dayMs) return twoUnits(span, [hourMs, 'h'], [minuteMs, 'min']);
  return twoUnits(span, [dayMs, 'd'], [hourMs, 'h']);
}

type Unit = readonly [unitMs: number, name: string];

function twoUnits(spanMs: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((spanMs % largeMs) / smallMs);
  return `${Math.floor(spanMs / largeMs)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}

/** Formats a time in the past as `now`, `12 min ago` or `2 h 10 min ago`. */
export const relativeTime = (atMs: number, nowMs: number): string =>
  nowMs - atMs < minuteMs ? 'now' : `${formatSpan(nowMs - atMs)} ago`;
