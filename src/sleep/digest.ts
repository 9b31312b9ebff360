/** Describes what happened while the agent waited, as bounded text for the model. */
import { assertNever } from '../base/errors.ts';
import { cleanText, formatDuration, formatValue, oneLine } from '../base/text.ts';
import type { MetricSummary, Trend } from '../metrics/metric.ts';
import { printedValue } from '../metrics/printedValue.ts';
import { verdictText, type Verdict } from '../runs/run.ts';
import {
  inert,
  markChars,
  untrusted,
  untrustedLine,
  withoutUntrustedMarks,
} from '../base/untrusted.ts';
import { lastLines } from './outputTail.ts';
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

interface DigestRun {
  /** Name of the run, for example `run 7`. */
  readonly name: string;
  readonly handle?: string | undefined;
  readonly label: string;
  readonly ranMs: number;
}

export interface EndedRun extends DigestRun {
  readonly verdict: Verdict;
  readonly metrics: readonly MetricSummary[];
  /** Last part of the raw output; shown if the run did not end successfully. */
  readonly tail?: string;
}

export interface GoingRun extends DigestRun {
  readonly metrics: readonly {
    readonly metric: string;
    readonly last: number;
    readonly lastStep: number;
    readonly trend: Trend;
  }[];
  /** Reason for the lack of newer data, for example that the machine does not answer. */
  readonly note?: string;
}

export interface DigestInput {
  readonly cause: DigestCause;
  /** What remains of each limit, as text: `43 min`, `$3.20`; empty without limits. */
  readonly left: readonly string[];
  /** Runs that ended since the sleep began or, if there was a check-in, since the last check-in. */
  readonly ended: readonly EndedRun[];
  readonly going: readonly GoingRun[];
  /** Tables of the sweeps that are still running. */
  readonly sweeps: readonly string[];
  /** Answers, messages and refusals that arrived during the sleep. */
  readonly queued: readonly string[];
}

const usualChars = 4000;
const minTailChars = 160;
/** Number of characters at the end of an output that are searched for a traceback. */
const maxTailChars = 64 * 1024;
const maxTails = 4;

/**
 * Returns the digest in at most `maxChars` characters (at least 500). Text of runs is cleaned and
 * put in a code block, since the model must read it as data, not as instructions.
 */
export function digestText(input: DigestInput, maxChars = usualChars): string {
  const ended = [...input.ended].sort((a, b) => Number(isGood(a)) - Number(isGood(b)));
  const queued = section('New for you', input.queued.map(line), maxChars * 0.15);
  const going = section('Running', input.going.map(goingText), maxChars * 0.2);
  const sweeps = section('Sweeps', input.sweeps.flatMap(tableLines), maxChars * 0.3);
  const endedLines = section('Ended', ended.map(endedText), maxChars * 0.25);
  const left = input.left.length === 0 ? '' : `\nLeft of the limits: ${input.left.join(', ')}.`;
  const checks = checkLines(input.cause, Math.floor(maxChars * 0.1));
  const parts = [
    [header(input.cause, Math.floor(maxChars * 0.2)), ...checks].join('\n') + left,
    queued,
    endedLines,
    sweeps,
    going,
  ];
  const text = parts.filter((part) => part !== '').join('\n\n');
  const tails = tailsText(ended, maxChars - text.length);
  return `${text}${tails}`.slice(0, maxChars);
}

const tableLines = (table: string): string[] => table.split('\n').map((text) => flat(text, 300));

const isGood = (run: EndedRun): boolean => run.verdict.kind === 'ok';

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
      return 'the user wrote.';
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

function endedText(run: EndedRun): string {
  const metrics = run.metrics.map((summary) => {
    const { metric, last, lastStep, best, direction } = summary;
    const more = [
      ...(direction === 'none' ? [] : [`best ${printedValue(best, summary)}`]),
      ...(Number.isFinite(lastStep) ? [`step ${lastStep}`] : []),
    ];
    return `${metric} ${printedValue(last, summary)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
  });
  const values = metrics.length > 0 ? metrics.join(', ') : 'no metrics';
  return line(
    `${titleOf(run)}: ${verdictText(run.verdict)} after ${formatDuration(run.ranMs)}; ${values}`,
  );
}

function goingText(run: GoingRun): string {
  const metrics = run.metrics.map(({ metric, last, lastStep, trend }) => {
    const step = Number.isFinite(lastStep) ? ` at step ${lastStep}` : '';
    return `${metric} ${formatValue(last)}${step}${trend === 'insufficient_data' ? '' : `, ${trend}`}`;
  });
  const values = metrics.length > 0 ? metrics.join('; ') : 'no metrics yet';
  return line(
    `${titleOf(run)}: for ${formatDuration(run.ranMs)}; ${run.note === undefined ? '' : `${run.note}; `}${values}`,
  );
}

const titleOf = ({ name, handle, label }: DigestRun): string => {
  const details = [handle, label].filter((detail) => detail !== undefined && detail !== '');
  return details.length > 0 ? `${name} (${details.join(', ')})` : name;
};

/** Truncates the text before cleaning, so that a label or message of a megabyte takes no time. */
const flat = (text: string, maxChars: number): string =>
  oneLine(cleanText(text.slice(0, 4 * maxChars)), maxChars);
const line = (text: string): string => `- ${flat(text, 300)}`;

/** Returns the title and as many whole lines as fit, followed by the number of omitted lines. */
function section(title: string, lines: readonly string[], maxChars: number): string {
  if (lines.length === 0) return '';
  const shown: string[] = [`${title}:`];
  let leftChars = maxChars - title.length - 24;
  for (const [index, each] of lines.entries()) {
    leftChars -= each.length + 1;
    if (leftChars < 0) {
      shown.push(`- … and ${lines.length - index} more`);
      break;
    }
    shown.push(each);
  }
  return shown.join('\n');
}

/** Returns the last output of failed runs, in at most `leftChars` characters. */
function tailsText(ended: readonly EndedRun[], leftChars: number): string {
  const failed = ended.filter((run) => !isGood(run) && (run.tail ?? '').trim() !== '');
  const count = Math.min(failed.length, maxTails, Math.floor(leftChars / minTailChars));
  return failed
    .slice(0, count)
    .map((run) => {
      const origin = `output of ${flat(run.name, 40)}`;
      const maxChars = Math.floor(leftChars / count) - markChars(origin) - 2;
      const tail = inert((run.tail ?? '').slice(-maxTailChars));
      return `\n\n${untrusted(lastLines(tail, maxChars), origin)}`;
    })
    .join('');
}
