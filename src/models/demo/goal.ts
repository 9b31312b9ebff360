/**
 * Reads the measurable part of the goal and the user's later messages, as far as a script can
 * understand these texts.
 */
import type { Transcript } from './transcript.ts';

export interface DemoGoal {
  readonly text: string;
  readonly metric: string;
  readonly direction: 'lower' | 'higher';
  readonly threshold: number;
}

const number = '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?';
const lower = '<=?|≤|below|under|less than|lower than|at most';
const higher = '>=?|≥|above|over|more than|greater than|higher than|at least';
const comparison = new RegExp(
  `([A-Za-z][\\w./-]*)\\s*(?:is|to|of|gets|goes|that is)?\\s*(${lower}|${higher})\\s*(${number})`,
  'i',
);

/** Returns the text of the goal, also if a briefing has replaced the older conversation. */
export function goalTextOf({ told }: Transcript): string {
  const headed = told
    .map(({ text }) => /(?:^|\n)The goal:\n(.+)/.exec(text)?.[1])
    .find((text) => text !== undefined);
  return (headed ?? told[0]?.text ?? '').trim();
}

/**
 * Reads metric, direction and threshold from the goal. Undefined if the goal does not compare a
 * metric with a number.
 */
export function readGoal(text: string): DemoGoal | undefined {
  const [, metric, operator, threshold] = comparison.exec(text) ?? [];
  if (metric === undefined || operator === undefined || threshold === undefined) return undefined;
  const direction = new RegExp(`^(?:${lower})$`, 'i').test(operator) ? 'lower' : 'higher';
  return { text, metric, direction, threshold: Number(threshold) };
}

export const meets = (value: number, { direction, threshold }: DemoGoal): boolean =>
  direction === 'lower' ? value < threshold : value > threshold;

export const isBetter = (value: number, than: number, { direction }: DemoGoal): boolean =>
  direction === 'lower' ? value < than : value > than;

const userPrefix = 'Message from the user:\n';

/**
 * Returns the user's messages after the goal, oldest first. In a briefing, these messages are a
 * list.
 */
export function saidByUser({
  told,
}: Transcript): { readonly text: string; readonly turn: number }[] {
  return told.flatMap(({ text, turn }) => {
    if (text.startsWith(userPrefix)) return [{ text: text.slice(userPrefix.length), turn }];
    const list = /What the user said, oldest first:\n((?:- .*\n?)+)/.exec(text)?.[1] ?? '';
    // Messages in a briefing have already been answered.
    return list
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => ({ text: line.slice(2), turn: turn - 1 }));
  });
}

export const asksToStop = (text: string): boolean =>
  /^\s*(?:please\s+)?(?:stop|enough|that is enough|finish)\b/i.test(text);

/**
 * Reads the values that the user requests, as in `use lr 0.1` or `try lr=0.3 and momentum 0.9`.
 * Empty if the text requests none of the options `names`.
 */
export function requestedValues(
  text: string,
  names: readonly string[],
): Readonly<Record<string, number>> {
  if (!/\b(?:use|try|set|run|with)\b/i.test(text)) return {};
  const found = names.flatMap((name) => {
    const value = new RegExp(`\\b${name}\\b\\s*(?:=|:|to|of|at)?\\s*(${number})`, 'i').exec(
      text,
    )?.[1];
    return value === undefined ? [] : [[name, Number(value)] as const];
  });
  return Object.fromEntries(found);
}
