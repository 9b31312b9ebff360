/**
 * Finds the numbers of a goal that its target does not hold, so that none is dropped in silence.
 */
import { aggregateOf, seedList, seedNumber } from './readAggregate.ts';
import { readTarget } from './readTarget.ts';
import { isNumberOf } from './statedNumbers.ts';
import { repeatsOfTarget, type Target } from './target.ts';
import { comparatorSource } from './wordings.ts';

export interface NumberPlace {
  /** Position of the first character, and of the first character after the number. */
  readonly start: number;
  readonly end: number;
  readonly isRead: boolean;
}

const digits = String.raw`(?<![\p{L}\d_.,/-])(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?`;
const unit = String.raw`(?:\s*(?:%|percent|prozent|(?:k|m|b|thousand|million|billion|tausend|millionen|milliarden)(?!\p{L})))?`;
const pattern = new RegExp(`(?<digits>${digits})${unit}`, 'giu');
/** The number of a list item, such as `2. leave data.py alone`. */
const itemBefore = /^\s*$/u;
const itemAfter = /^[.)](?:\s|$)/u;
/** The value at the start, which is no demand: `from 1.2 to 0.8`. */
const startBefore = /(?<!\p{L})(?:from|von)\s+$/iu;
const startAfter = /^\s*(?:down\s+|up\s+)?(?:to|auf|bis)(?!\p{L})/iu;
/** The size of a model that the text only describes: `a 125M GPT`, `a 1.3B-parameter model`. */
const size = /^\d+(?:\.\d+)?[kmb]$/iu;
const modelAfter =
  /^[\s-]+(?:param(?:eter)?s?[\s-]+)?(?:[\p{L}\d-]+\s+){0,2}?\p{L}*(?:gpt|models?|modell\p{L}*|transformer|lm|llm|llama|bert|net|network|netz\p{L}*|mamba|rnn|vit|mlp|unet|diffusion|decoder|encoder)(?!\p{L})/iu;
const boundBefore = new RegExp(
  `(?<!\\p{L})(?:${comparatorSource})\\s*(?:an?\\s+|einem?\\s+)?$`,
  'iu',
);

/** Returns the numbers of the sentence that are demands; `target`: that of the whole goal. */
export function numberPlaces(sentence: string, target: Target | undefined): NumberPlace[] {
  const seeds = seedPlaces(sentence, target);
  return [...sentence.matchAll(pattern)].flatMap((match): NumberPlace[] => {
    const [start, end] = [match.index, match.index + match[0].length];
    const [before, after] = [sentence.slice(0, start), sentence.slice(end)];
    if (itemBefore.test(before) && itemAfter.test(after)) return [];
    if (startBefore.test(before) && startAfter.test(after)) return [];
    if (size.test(match[0]) && modelAfter.test(after) && !boundBefore.test(before)) return [];
    const isSeed = seeds.some((one) => start >= one.start && start < one.end);
    const isBound = (): boolean =>
      target !== undefined &&
      isNumberOf(target, match[0], sentence) &&
      isDecisive(sentence, start, match.groups?.['digits'] ?? '');
    return [{ start, end, isRead: isSeed || isBound() }];
  });
}

/** Returns whether the target of the sentence is another one with another number at the place. */
function isDecisive(sentence: string, start: number, number: string): boolean {
  const other = number.replace(/\d(?=\D*$|e[-+]?\d+$)/i, (digit) =>
    digit === '9' ? '8' : String(Number(digit) + 1),
  );
  const changed = sentence.slice(0, start) + other + sentence.slice(start + number.length);
  return JSON.stringify(readTarget(sentence)) !== JSON.stringify(readTarget(changed));
}

/** Returns where the sentence names the seeds of the target. */
function seedPlaces(
  sentence: string,
  target: Target | undefined,
): readonly Pick<NumberPlace, 'start' | 'end'>[] {
  const repeats = target && repeatsOfTarget(target);
  if (repeats === undefined) return [];
  const { seeds, seedCount } = aggregateOf(sentence);
  const isSame =
    JSON.stringify([seeds, seedCount]) === JSON.stringify([repeats.seeds, repeats.seedCount]);
  const found = isSame ? (seedList.exec(sentence) ?? seedNumber.exec(sentence)) : null;
  return found === null ? [] : [{ start: found.index, end: found.index + found[0].length }];
}
