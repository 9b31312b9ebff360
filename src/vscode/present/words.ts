/** The small words of the views: times, icons of verdicts, text made safe for Markdown. Pure: no `vscode` here. */
import { exactTime } from '../../base/localTime.ts';
import type { Verdict } from '../../runs/run.ts';

export { exactTime } from '../../base/localTime.ts';
export { code, codeBlock, plain } from '../../base/markdown.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `40 s`, `12 m`, `2 h 10 m`, `3 d 4 h`: at most two units, of a steady width. */
export function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span < minuteMs) return `${Math.floor(span / 1000)} s`;
  if (span < hourMs) return `${Math.floor(span / minuteMs)} m`;
  if (span < dayMs) return twoUnits(span, [hourMs, 'h'], [minuteMs, 'm']);
  return twoUnits(span, [dayMs, 'd'], [hourMs, 'h']);
}

type Unit = readonly [unitMs: number, name: string];

function twoUnits(spanMs: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((spanMs % largeMs) / smallMs);
  return `${Math.floor(spanMs / largeMs)} ${large}${rest > 0 ? ` ${rest} ${small}` : ''}`;
}

/** `now`, `12 m ago`, `2 h 10 m ago`. */
export const relativeTime = (atMs: number, nowMs: number): string =>
  nowMs - atMs < minuteMs ? 'now' : `${formatSpan(nowMs - atMs)} ago`;

/** `14:03` on the same day, else `11-21 14:03`. */
export function clockTime(atMs: number, nowMs: number): string {
  const exact = exactTime(atMs);
  return exact.slice(0, 10) === exactTime(nowMs).slice(0, 10) ? exact.slice(11, 16) : exact.slice(5, 16);
}

/** A codicon and the theme colour that it is drawn in. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** Undefined: the run goes on. */
export function verdictIcon(verdict: Verdict | undefined): Icon {
  if (verdict === undefined) return { id: 'sync~spin', color: 'charts.blue' };
  switch (verdict.kind) {
    case 'ok':
      return { id: 'pass', color: 'testing.iconPassed' };
    case 'failed':
    case 'signalled':
      return { id: 'error', color: 'testing.iconFailed' };
    case 'out_of_memory':
      return { id: 'warning', color: 'testing.iconFailed' };
    case 'time_limit':
      return { id: 'watch', color: 'charts.yellow' };
    case 'preempted':
      return { id: 'debug-step-back', color: 'charts.yellow' };
    case 'killed':
      return { id: 'circle-slash', color: 'disabledForeground' };
    case 'lost':
      return { id: 'question', color: 'charts.yellow' };
  }
}
