/**
 * Reads from a goal over which runs a number must be reached: `mean over seeds 0-2`, `for each of 3
 * seeds`.
 */
import type { Condition } from './target.ts';
import { meanWords, seedWords, worstWords } from './wordings.ts';

/** `seeds 0, 1 and 2`, `seeds 0-4`. */
export const seedList =
  /\bseeds?\s+(?:of\s+|out of\s+|aus\s+)?(?<list>\d+(?:[\s,]*(?:(?:and|und|&|to|bis|through|-|–)\s*)?\d+)*)/iu;
export const seedNumber =
  /\b(?<count>\d+|two|three|four|five|ten|zwei|drei|vier|fünf|zehn)\s+(?:random\s+|different\s+|verschiedenen?\s+|independent\s+)?(?:seeds|repeats|repetitions|wiederholungen)\b/iu;
const anySeeds = /\b(?:seeds|(?:worst|schlechteste[nmr]?) seed|repeats|wiederholungen)\b/iu;
const maxSeeds = 1000;

type Aggregate = Pick<Condition, 'over' | 'seeds' | 'seedCount'>;

/** Returns over which runs the number must be reached; an empty object if a single run suffices. */
export function aggregateOf(text: string): Aggregate {
  const names = namedSeeds(text);
  const count = names.seeds?.length ?? names.seedCount ?? 0;
  const over = overOf(text);
  if (over !== undefined && (count > 0 || anySeeds.test(text))) return { over, ...names };
  // `on 3 seeds` may mean each seed or the mean. Each seed is required, because the mean then
  // reaches the number, too.
  return count > 1 ? { over: 'worst', ...names } : {};
}

const overSeeds = /\b(?:over|über)\s+(?:\p{L}+\s+)?(?:\d+\s+)?seeds/iu;

function overOf(text: string): Condition['over'] {
  if (worstWords.test(text)) return 'worst';
  return meanWords.test(text) || overSeeds.test(text) ? 'mean' : undefined;
}

function namedSeeds(text: string): Omit<Aggregate, 'over'> {
  const seeds = seedsOf(text);
  if (seeds !== undefined) return { seeds };
  const count = seedNumber.exec(text)?.groups?.['count'];
  return count === undefined ? {} : { seedCount: countOf(count) };
}

const countOf = (text: string): number => seedWords[text.toLowerCase()] ?? Number(text);

function seedsOf(text: string): readonly number[] | undefined {
  const list = seedList.exec(text)?.groups?.['list'];
  return list === undefined ? undefined : seedsIn(list);
}

/** Reads a list of seeds: `0, 1 and 2`, `0-4`. */
export function seedsIn(list: string): readonly number[] {
  const ranges = list.replace(/\s*(?:\b(?:to|bis|through)\b|–|-)\s*/giu, '-');
  const seeds = ranges.split(/[^\d-]+/).flatMap((part) => {
    const [from, to] = part.split('-').map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
    if (from === undefined || Number.isNaN(from)) return [];
    if (to === undefined || !(to > from) || to - from > maxSeeds) return [from];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return [...new Set(seeds)];
}
