/** Reads parameters as columns of numbers: the kind of each, its scale, and a basis of its effect. */
import type { Column } from './columns.ts';

export interface Factor {
  readonly name: string;
  readonly kind: 'number' | 'category';
  /** Whether the values spread evenly on a logarithmic axis rather than on a plain one. */
  readonly isLog: boolean;
  /** Value per setting; NaN if the setting does not name the parameter, or for categories. */
  readonly values: Column;
  /** Columns whose linear combinations are the effects considered. For numbers, the first is rank. */
  readonly columns: readonly Column[];
}

/** Number of distinct values up to which each value of a number has an effect of its own. */
const maxSaturated = 4;
/** Highest degree of the polynomial in the ranks of a number. */
const maxDegree = 3;
/** Number of settings per degree of freedom of a parameter. */
const settingsPerColumn = 8;

/**
 * Reads a parameter. `texts`: its value per setting, `undefined` where it is not named. Returns
 * `undefined` if it does not vary.
 */
export function factorOf(name: string, texts: readonly (string | undefined)[]): Factor | undefined {
  if (new Set(texts).size < 2) return undefined;
  const numbers = Float64Array.from(texts, (text = '') => numberOf(text));
  const isNumber = texts.every((text, at) => text === undefined || !Number.isNaN(numbers[at]));
  const values = isNumber ? numbers : numbers.fill(Number.NaN);
  const room = Math.max(1, Math.floor(texts.length / settingsPerColumn));
  const columns = isNumber ? numberColumns(values, room) : levelColumns(texts, room);
  return {
    name,
    kind: isNumber ? 'number' : 'category',
    isLog: isNumber && isLogSpaced(values),
    values,
    columns,
  };
}

/** Returns the number that a text spells, NaN for any other text. */
function numberOf(text: string): number {
  const trimmed = text.trim();
  if (!/^[-+]?(?:\d|\.\d)/.test(trimmed)) return Number.NaN;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : Number.NaN;
}

/** Whether the distances of neighbouring values vary less, relative to their mean, as logarithms. */
function isLogSpaced(values: Column): boolean {
  const distinct = [...new Set(values)].filter((value) => !Number.isNaN(value));
  distinct.sort((a, b) => a - b);
  const [first = 0, last = 0] = [distinct[0], distinct.at(-1)];
  if (first <= 0 || distinct.length < 3 || last < 8 * first) return false;
  return unevenness(distinct.map(Math.log)) < unevenness(distinct);
}

/** Largest difference between the values and evenly spaced ones, as a share of their range. */
function unevenness(sorted: readonly number[]): number {
  const [first = 0, last = 1] = [sorted[0], sorted.at(-1)];
  const steps = sorted.length - 1;
  const off = sorted.map((value, at) => Math.abs((value - first) / (last - first) - at / steps));
  return Math.max(...off);
}

function numberColumns(values: Column, room: number): Column[] {
  const distinct = new Set([...values].filter((value) => !Number.isNaN(value))).size;
  const saturated = distinct - 1;
  const degree = Math.min(distinct <= maxSaturated ? saturated : maxDegree, saturated, room);
  const scores = rankScores(values);
  const powers = Array.from({ length: degree }, (_, at) =>
    scores.map((score) => score ** (at + 1)),
  );
  const gaps = values.map((value) => Number(Number.isNaN(value)));
  return gaps.some((gap) => gap === 1) ? [...powers, gaps] : powers;
}

/** Returns the rank of each value, the mean rank of equal values, scaled to −1 to 1; 0 for NaN. */
export function rankScores(values: Column): Column {
  const order = [...values.keys()].filter((at) => !Number.isNaN(values[at]));
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const scores = new Float64Array(values.length);
  const half = (order.length - 1) / 2 || 1;
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to += 1;
    for (const at of order.slice(from, to)) scores[at] = ((from + to - 1) / 2 - half) / half;
    from = to;
  }
  return scores;
}

/** Returns a column per level but one. The rarest levels beyond `room` share a column. */
function levelColumns(texts: readonly (string | undefined)[], room: number): Column[] {
  const counts = new Map<string | undefined, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const levels = [...counts].toSorted(([, a], [, b]) => b - a).map(([level]) => level);
  const own = levels.slice(0, Math.min(levels.length - 1, Math.max(room, 2)));
  return own.map((level) => Float64Array.from(texts, (text) => Number(text === level)));
}
