/** Turns a range of an axis into words of the filter. */
import type { MatteredAxis } from '../../../src/protocol/mattered.ts';
import type { Range } from '../../shared/range.ts';

/** Whether the run at this index has a value in the range. */
export function isWithin({ places }: MatteredAxis, at: number, { from, to }: Range): boolean {
  const place = places[at];
  return place !== null && place !== undefined && place >= from && place <= to;
}

/**
 * Returns comparisons that only the runs in the range meet, such as `lr>=0.0003 lr<=0.001`; empty if
 * all runs with a value are in the range, and `undefined` if none is.
 */
export function comparisonsOf(axis: MatteredAxis, range: Range): string | undefined {
  const { name, kind, texts } = axis;
  const all = texts.flatMap((text, at) =>
    text === '' ? [] : [{ text, place: axis.places[at] ?? 0, isIn: isWithin(axis, at, range) }],
  );
  const inside = all.filter(({ isIn }) => isIn);
  if (inside.length === 0) return undefined;
  if (kind === 'category') return levelsText(name, all);
  return boundsText(name, all, inside);
}

interface Placed {
  readonly text: string;
  readonly place: number;
}

/** Returns the lowest and the highest value inside; no bound where nothing is outside. */
function boundsText(name: string, all: readonly Placed[], inside: readonly Placed[]): string {
  const sorted = inside.toSorted((a, b) => a.place - b.place);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const isBelow = all.some(({ place }) => place < (first?.place ?? 0));
  const isAbove = all.some(({ place }) => place > (last?.place ?? 0));
  const low = isBelow ? [`${name}>=${first?.text ?? ''}`] : [];
  const high = isAbove ? [`${name}<=${last?.text ?? ''}`] : [];
  return [...low, ...high].join(' ');
}

/** Returns `name=level` for one level, otherwise `name!=level` for each that is outside. */
function levelsText(
  name: string,
  all: readonly { readonly text: string; readonly isIn: boolean }[],
): string {
  const inside = new Set(all.filter(({ isIn }) => isIn).map(({ text }) => text));
  const outside = new Set(all.filter(({ isIn }) => !isIn).map(({ text }) => text));
  if (outside.size === 0) return '';
  const [only = ''] = inside;
  return inside.size === 1
    ? `${name}=${quoted(only)}`
    : [...outside].map((text) => `${name}!=${quoted(text)}`).join(' ');
}

const quoted = (text: string): string => (/\s/.test(text) ? `"${text}"` : text);

/** Returns the filter without its comparisons with `name`, followed by `comparisons`. */
export function withComparisons(filter: string, name: string, comparisons: string): string {
  const parts = filter.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  const isOf = (part: string): boolean =>
    part.toLowerCase().startsWith(name.toLowerCase()) &&
    /^(?:[<>]=?|!?=)/.test(part.slice(name.length));
  return [...parts.filter((part) => !isOf(part)), comparisons]
    .filter((part) => part !== '')
    .join(' ');
}
