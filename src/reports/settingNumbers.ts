/** Finds the numbers in a model's text that are values of settings, such as `lr 1e-3 to 3e-3`. */
import { directionOf } from '../metrics/direction.ts';

const usual =
  /^(?:lr|learning-rate|rate|seeds?|batch|batch-size|bs|dropout|momentum|weight-decay|wd|decay|hidden|width|depth|layers|epochs?|steps?|clip|beta\d?|gamma|alpha|temperature|warmup|size|dim|heads|threads|workers)$/;
const word = /[A-Za-z][\w-]*/g;
/** Matches text between a setting and its value: `lr = `, `rate of about `, `lr in {`. */
const link =
  /[\s`*_"]*(?:(?:=|:|≈|~|\b(?:of|at|to|from|is|was|in|about|around|roughly|between|near|with|by|than)\b)[\s`*_"]*){0,3}(?<bracket>[[{(]\s*)?/y;
/**
 * Matches text between the values of a list or range: `0.01, 0.03 and 0.1`, `1e-3 to 3e-3`, `4/8`.
 */
const joint =
  /\s*(?:(?<comma>,)\s*(?<last>(?:and|or)\b)?|(?<word>\b(?:and|or)\b)|(?:\b(?:down|up)\s+)?\bto\b|[/–-]|…|\.\.\.?)\s*/y;

interface Item {
  readonly start: number;
  readonly isWhole: boolean;
  /** True if only a comma stands before the number. */
  readonly isAfterComma: boolean;
  /** True if `and` or `or` stands before the number. */
  readonly isLast: boolean;
}

/**
 * Returns the offsets of the numbers that are values of a setting: the number after its name, and
 * the further numbers of a list or range. Excludes a number after another sign, such as 0.054 in
 * `hidden 320: 0.054`.
 */
export function settingNumbers(
  text: string,
  parameters: ReadonlySet<string>,
  numberPattern: RegExp,
): ReadonlySet<number> {
  const number = new RegExp(numberPattern.source, 'iy');
  const starts = new Set<number>();
  let before = '';
  for (const { 0: name, index } of text.matchAll(word)) {
    if (isSetting(name, before, parameters))
      for (const start of valuesAt(text, index + name.length, number)) starts.add(start);
    before = name;
  }
  return starts;
}

function isSetting(text: string, before: string, parameters: ReadonlySet<string>): boolean {
  const lower = text.toLowerCase();
  const name = lower.replaceAll('_', '-');
  // The word `rate` after a word such as `error` is a metric, not the learning rate.
  if (name === 'rate' && directionOf(`${before} rate`) !== 'none') return false;
  return usual.test(name) || parameters.has(name) || parameters.has(lower);
}

/** Returns the offsets of the list of numbers behind a setting; empty if no number follows. */
function valuesAt(text: string, from: number, number: RegExp): readonly number[] {
  const opened = matchAt(link, text, from);
  const items: Item[] = [];
  let at = from + (opened?.[0].length ?? 0);
  let joined: RegExpExecArray | null = null;
  for (;;) {
    const found = matchAt(number, text, at);
    if (found === null) break;
    const { comma, last, word: conjunction } = joined?.groups ?? {};
    const isLast = last !== undefined || conjunction !== undefined;
    const isWhole = /^[-+−]?\d+$/.test(found[0].trim());
    items.push({ start: at, isWhole, isAfterComma: comma !== undefined && !isLast, isLast });
    joined = matchAt(joint, text, at + found[0].length);
    if (joined === null) break;
    at += found[0].length + joined[0].length;
  }
  const isClosed = opened?.groups?.['bracket'] !== undefined || items.some(({ isLast }) => isLast);
  const end = items.findIndex(
    ({ isWhole, isAfterComma }) => isWhole !== items[0]?.isWhole || (isAfterComma && !isClosed),
  );
  return (end < 0 ? items : items.slice(0, end)).map(({ start }) => start);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
