/** The small words of the views: times, icons of verdicts, text made safe for Markdown. Pure: no `vscode` here. */
import { cleanText, oneLine } from '../../base/text.ts';
import type { Verdict } from '../../runs/run.ts';

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

/** `2026-11-20 14:03:27`, in the time zone of this computer. */
export function exactTime(atMs: number): string {
  const at = new Date(atMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `14:03` on the same day, else `11-21 14:03`. */
export function clockTime(atMs: number, nowMs: number): string {
  const exact = exactTime(atMs);
  return exact.slice(0, 10) === exactTime(nowMs).slice(0, 10) ? exact.slice(11, 16) : exact.slice(5, 16);
}

/** Text that came from a process, a file or a model as plain Markdown text on one line: nothing in it is a link, an icon or a table cell. */
export const plain = (text: string, maxChars = 160): string =>
  oneLine(cleanText(text), maxChars).replace(/[\\`*_[\]|<~&]|\$(?=\()|^[-+#>=]|(?<=^\d+)[.)]/g, (mark) => `\\${mark}`);

/** Text as a code block whose fence is longer than any in it. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${cleanText(text)}\n${fence}`;
}

/** Text as inline code; back-ticks in it are kept. */
export function code(text: string, maxChars = 120): string {
  const flat = oneLine(cleanText(text), maxChars);
  if (flat === '') return '';
  return flat.includes('`') ? `\`\` ${flat} \`\`` : `\`${flat}\``;
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
