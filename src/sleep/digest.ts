/** Describes what happened while the agent waited, as bounded text for the model. */
import { assertNever } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { cleanText, formatDuration, oneLine } from '../base/text.ts';
import { untrustedLine, withoutUntrustedMarks } from '../base/untrusted.ts';
import type { Wake } from './sleeper.ts';
import { triggerText, utcTime, type SleepRequest } from './trigger.ts';

export type DigestCause =
  | {
      readonly kind: 'sleep';
      readonly reason: string;
      readonly sleptMs: number;
      readonly wake: Wake;
    }
  | {
      readonly kind: 'monitor';
      readonly goal: string;
      readonly elapsedMs: number;
      readonly intervalMs: number;
      /** The sleep that continues after the check-in. */
      readonly sleep?: SleepRequest;
    };

export interface DigestRun {
  readonly runId: RunId;
  /** Name of the run, for example `run 7`. */
  readonly name: string;
  /** Value of the decisive metric, for example `val_loss 0.41`; omitted if there is none. */
  readonly value?: string | undefined;
  /** For example `ended: ok after 3 min` or `running for 1 min`. */
  readonly status: string;
  /** Label, handle, and the values of other metrics. */
  readonly details: readonly string[];
}

export interface DigestInput {
  readonly cause: DigestCause;
  /** The rest of each limit, as text: `43 min`, `$3.20`; empty without limits. */
  readonly left: readonly string[];
  /** Runs that are active, or whose end is new to the model, in the order of the lines. */
  readonly runs: readonly DigestRun[];
  /** Order of the runs: `lowest val_loss first`; omitted without a decisive metric. */
  readonly order?: string | undefined;
  /** Tables of the sweeps that are still running. */
  readonly sweeps: readonly string[];
}

export interface Digest {
  readonly text: string;
  /** The runs that have a line in the text; others did not fit. */
  readonly runIds: readonly RunId[];
}

const usualChars = 4000;
/** Maximum width that a column is padded to. */
const maxWidth = 40;

/**
 * Returns the digest in at most `maxChars` characters (at least 500): a line for each run. Text of
 * runs is cleaned, since the model must read it as data, not as instructions.
 */
export function renderDigest(input: DigestInput, maxChars = usualChars): Digest {
  const order =
    input.order === undefined || input.runs.length < 2 ? '' : `, ${flat(input.order, 80)}`;
  const [runs, shown] = section(`Runs${order}`, runLines(input.runs), maxChars * 0.5);
  const [sweeps] = section('Sweeps', input.sweeps.flatMap(tableLines), maxChars * 0.3);
  const left = input.left.length === 0 ? '' : `\nLeft of the limits: ${input.left.join(', ')}.`;
  const checks = checkLines(input.cause, Math.floor(maxChars * 0.1));
  const head = [header(input.cause, Math.floor(maxChars * 0.2)), ...checks].join('\n') + left;
  const parts = [head, runs, sweeps].filter((part) => part !== '');
  return {
    text: parts.join('\n\n').slice(0, maxChars),
    runIds: input.runs.slice(0, shown).map(({ runId }) => runId),
  };
}

/** Returns a line for each run, with name, value and status in columns. */
function runLines(runs: readonly DigestRun[]): string[] {
  const rows = runs.map(({ name, value = '', status }) =>
    [name, value, status].map((text) => flat(text, 120)),
  );
  const widths = [0, 1, 2].map((column) =>
    Math.min(maxWidth, Math.max(0, ...rows.map((row) => row[column]?.length ?? 0))),
  );
  return runs.map(({ details }, index) => {
    const cells = (rows[index] ?? []).map((text, column) => text.padEnd(widths[column] ?? 0));
    const columns = cells.filter((text) => text !== '').join('  ');
    const more = flat(details.filter((text) => text !== '').join(' · '), 200);
    return `- ${columns}  ${more}`.trimEnd();
  });
}

const tableLines = (table: string): string[] => table.split('\n').map((text) => flat(text, 300));

function header(cause: DigestCause, maxChars: number): string {
  if (cause.kind === 'monitor') return checkInText(cause, maxChars);
  const { wake, sleptMs, reason } = cause;
  const lines = [
    `Woke after ${formatDuration(sleptMs)}: ${whyText(wake)}`,
    `Reason for the sleep: ${reason}`,
  ];
  // The first line already names what was met, unless something else ended the sleep.
  const isNamed = wake.why === 'trigger' || wake.why === 'alarm';
  const lists = { Met: isNamed ? [] : wake.met, 'Not met': wake.unmet };
  for (const [title, texts] of Object.entries(lists))
    if (texts.length > 0) lines.push(`${title}: ${texts.join('; ')}`);
  return lines
    .map((text) => flat(text, Math.floor((maxChars - lines.length) / lines.length)))
    .join('\n');
}

/**
 * Returns what the checks of the conditions found, and why checks failed. Both are marked as
 * untrusted, because they contain parts of files, outputs and command lines.
 */
function checkLines(cause: DigestCause, maxChars: number): string[] {
  if (cause.kind === 'monitor') return [];
  const { found = [], errors } = cause.wake;
  const lists = { 'Still there': found, 'Could not be checked': errors };
  return Object.entries(lists).flatMap(([title, texts]) => {
    const text = withoutUntrustedMarks(texts.join('; ')).slice(0, 4 * maxChars);
    return text === ''
      ? []
      : [`${title}: ${untrustedLine(text, 'checks of conditions', maxChars)}`];
  });
}

function checkInText(
  { intervalMs, elapsedMs, goal, sleep }: Extract<DigestCause, { kind: 'monitor' }>,
  maxChars: number,
): string {
  const title = `Check-in, every ${formatDuration(intervalMs)}, ${formatDuration(elapsedMs)} since the start. Watching: ${goal}`;
  if (sleep === undefined) return flat(title, maxChars);
  const last = ' Reply without a tool call to sleep on.';
  const waits = flat(`Still waiting for: ${requestText(sleep)}.`, maxChars / 2 - last.length);
  return `${flat(title, maxChars / 2)}\n${waits}${last}`;
}

const requestText = ({ triggers, logic, deadlineMs }: SleepRequest): string => {
  const conditions = triggers.map(triggerText).join(logic === 'all' ? ' and ' : ' or ');
  const latest = deadlineMs === undefined ? '' : `at the latest until ${utcTime(deadlineMs)}`;
  return [conditions, latest].filter((text) => text !== '').join('; ');
};

function whyText({ why, met }: Wake): string {
  switch (why) {
    case 'trigger':
      return `${met.join(' and ')}.`;
    case 'deadline':
      return 'the deadline has passed.';
    case 'person':
      return 'the user wrote or answered.';
    case 'alarm':
      return `alarm: ${met.join('; ')}.`;
    case 'check_in':
      return 'check-in of the monitor.';
    case 'run_ended':
      return 'what you waited for can no longer happen: the runs have ended.';
    default:
      return assertNever(why);
  }
}

/** Truncates the text before cleaning, so that a label or message of a megabyte takes no time. */
const flat = (text: string, maxChars: number): string =>
  oneLine(cleanText(text.slice(0, 4 * maxChars)), maxChars);

/**
 * Returns the title and as many whole lines as fit, followed by the number of omitted lines; and how
 * many lines fit.
 */
function section(title: string, lines: readonly string[], maxChars: number): [string, number] {
  if (lines.length === 0) return ['', 0];
  const shown: string[] = [];
  let leftChars = maxChars - title.length - 24;
  for (const each of lines) {
    leftChars -= each.length + 1;
    if (leftChars < 0) break;
    shown.push(each);
  }
  const omitted = lines.length - shown.length;
  const more = omitted === 0 ? [] : [`- … and ${omitted} more`];
  return [[`${title}:`, ...shown, ...more].join('\n'), shown.length];
}
