/**
 * The measurable part of the goal, and what the user said on the way, as far as a script can
 * understand them.
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

/** The words of the goal, also when only a briefing of the conversation is left. */
export function goalTextOf({ told }: Transcript): string {
  const headed = told
    .map(({ text }) => /(?:^|\n)The goal:\n(.+)/.exec(text)?.[1])
    .find((text) => text !== undefined);
  return (headed ?? told[0]?.text ?? '').trim();
}

/** Undefined when the words compare no metric with a number. */
export function readGoal(text: string): DemoGoal | undefined {
  const [, metric, word, threshold] = comparison.exec(text) ?? [];
  if (metric === undefined || word === undefined || threshold === undefined) return undefined;
  const direction = new RegExp(`^(?:${lower})$`, 'i').test(word) ? 'lower' : 'higher';
  return { text, metric, direction, threshold: Number(threshold) };
}

export const meets = (value: number, { direction, threshold }: DemoGoal): boolean =>
  direction === 'lower' ? value < threshold : value > threshold;

export const isBetter = (value: number, than: number, { direction }: DemoGoal): boolean =>
  direction === 'lower' ? value < than : value > than;

const userPrefix = 'Message from the user:\n';

/** What the user said after the goal, oldest first; a briefing keeps it as a list. */
export function saidByUser({
  told,
}: Transcript): { readonly text: string; readonly turn: number }[] {
  return told.flatMap(({ text, turn }) => {
    if (text.startsWith(userPrefix)) return [{ text: text.slice(userPrefix.length), turn }];
    const list = /What the user said, oldest first:\n((?:- .*\n?)+)/.exec(text)?.[1] ?? '';
    // What a briefing repeats was answered before.
    return list
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => ({ text: line.slice(2), turn: turn - 1 }));
  });
}

export const asksToStop = (text: string): boolean =>
  /^\s*(?:please\s+)?(?:stop|enough|that is enough|finish)\b/i.test(text);

/**
 * `use lr 0.1`, `try lr=0.3 and momentum 0.9`: the named values; empty when it asks for none of
 * `names`.
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
