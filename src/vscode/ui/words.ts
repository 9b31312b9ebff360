/** The small words of the views: times, icons of verdicts, text made safe for Markdown. Pure: no `vscode` here. */
import { exactTime } from '../../base/localTime.ts';
import type { Verdict } from '../../runs/run.ts';

export { exactTime } from '../../base/localTime.ts';
export { code, codeBlock, plain } from '../../base/markdown.ts';
export { formatSpan, relativeTime } from '../../base/span.ts';

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
