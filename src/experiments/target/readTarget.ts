/**
 * Reads the target from the text of a goal in English or German. Uncertain conditions are left out,
 * because no condition is better than a wrong one: the agent and the user can state the target
 * later.
 */
import { directionOf } from '../../metrics/direction.ts';
import { aggregateOf, seedList } from './readAggregate.ts';
import { metricPhrases, outside, type MetricPhrase } from './metricPhrase.ts';
import { readLimits } from './readLimits.ts';
import { withFactors } from './baselineFactors.ts';
import { writtenTarget } from './writtenTarget.ts';
import { readObjective, relativeConditions } from './readObjective.ts';
import {
  isLimit,
  isLowerBetter,
  objectiveOf,
  type Comparator,
  type Condition,
  type Target,
} from './target.ts';
import {
  amountUnit,
  bestWords,
  boundAfter,
  comparatorSource,
  negated,
  negationBefore,
  readableGoal,
  timeUnit,
  wordingOf,
  type Wording,
} from './wordings.ts';

const numberSource =
  '[-+]?(?:\\d{1,3}(?:,\\d{3})+(?![\\d.,])|\\d+[.,]\\d+|\\d+|\\.\\d+)(?:e[-+]?\\d+)?';
const comparison = new RegExp(
  `(?<word>${comparatorSource})\\s*(?:about|around|roughly|the|a|an|etwa|ca\\.)?\\s*(?<number>${numberSource})(?![\\d])(?:(?<percent>\\s*(?:%|percent\\b|per cent\\b|prozent\\b))|(?<relative>\\s× the baseline))?`,
  'giu',
);
const bare = new RegExp(
  `^\\s+(?<number>${numberSource})(?!\\d)(?:(?<percent>\\s*(?:%|percent\\b|prozent\\b))|(?<relative>\\s× the baseline))?`,
  'iu',
);
/** Names of settings, before numbers that are no targets. */
const setting =
  /(?:size|rate|lr|memory|ram|params?|parameters|width|depth|layers|budget|cost|price|epochs?|steps?|time|minutes|dropout|decay|momentum|temperature|gpus?|cards?|seeds?)(?:\s+(?:of|at|is|von|bei))?\s*$/iu;
/** Words that may stand between a metric and its comparator. */
const between =
  /^\s*(?:$|[,(]?\s*(?:(?:of|on|over|for|from|across|in|at|averaged|as|over|which|that|printed|reported|measured|after|should|must|has to|needs? to|shall|will|can|down|up|is|be|stays?|gets?|goes|falls?|drops?|rises?|to|value|score|rate|on average|über|von|auf|für|bei|im|in|nach|soll|muss|liegt|der|des|test|set|not|never|n't|nicht|does|do|go|lies)\b))/iu;
const elsewhere =
  /\b(?:by|with|using|use|via|while|setting|set (?!of|to)|keeping|when|than|if|mit|durch|batch|learning rate|lr|and|und|but|aber|without|ohne|vs|versus)\b|[;:]/iu;
/** Text that may follow a number which is the value of a metric. */
const follows =
  /^\s*(?:$|[.,;:!?)\]'"…]|[-–—]\s|%|(?:and|or|on|in|over|within|with|for|while|at|by|after|before|using|use|averaged|mean|as|but|without|when|across|from|to|the|then|so|if|where|please|bitte|instead|now|each|pro|innerhalb|is|are|it|i|you|on average|per|val|test|train|und|oder|bei|auf|im|mit|für|über|nach|ohne|gemittelt|bringen|senken|drücken|erreichen|steigern|heben|erhöhen|bekommen|kommen|liegen|sein|fallen|sinken|halten|hinaus|wenn|sobald|aber|dann)\b)/iu;

/** Returns the target that the goal states; `undefined` if it names no metric. */
export function readTarget(goal: string): Target | undefined {
  const text = withPrintedNames(withFactors(readableGoal(goal)));
  const written = writtenTarget(text);
  if (written !== undefined) return written;
  const sentences = sentencesOf(text);
  const found = sentences.flatMap(conditionsIn);
  const improvements = sentences.flatMap(improvementsIn);
  const conditions =
    found.length === 0
      ? improvements
      : // A speed is only named beside other numbers, because no run certainly prints it.
        [...improvements.filter(({ metric }) => metric !== 'time'), ...found];
  const over = aggregateOf(text.replaceAll(new RegExp(bestWords, 'giu'), ' '));
  const rule = bestWords.test(text) ? 'best' : 'last';
  const limits = readLimits(text);
  const reached = conditions.filter((one) => !limits.some((other) => isSameLimit(one, other)));
  const objective = objectiveOf(reached);
  if (objective !== undefined)
    return {
      conditions: [...reached.map((condition) => ({ ...condition, ...over })), ...limits],
      objective,
      rule,
    };
  const best = readObjective(text);
  return best && { conditions: limits, objective: best, rule, ...repeatsOf(text, over) };
}

const parentheses = /\s?\(([`'"]?)(?<name>\p{L}[\p{L}\p{N}_@/ -]{0,40})\1\)/gu;

/**
 * Replaces the name of a metric by the name in the parentheses after it, which the runs print: `the
 * test accuracy (test acc)` becomes `the test acc`.
 */
function withPrintedNames(text: string): string {
  const byEnd = new Map(metricPhrases(text).map((phrase) => [phrase.end, phrase]));
  let result = '';
  let from = 0;
  for (const match of text.matchAll(parentheses)) {
    const name = match.groups?.['name']?.trim() ?? '';
    const described = byEnd.get(match.index);
    const [printed] = metricPhrases(name);
    if (described === undefined || printed?.metric !== name) continue;
    result += `${text.slice(from, described.start)}${name}`;
    from = match.index + match[0].length;
  }
  return result + text.slice(from);
}

/**
 * Returns the repeats of an open goal; none if it asks for the best of the worst, because settings
 * are ranked by their mean.
 */
function repeatsOf(
  text: string,
  { over, ...repeats }: ReturnType<typeof aggregateOf>,
): Pick<Target, 'repeats'> {
  return over === undefined || isWorst.test(text) ? {} : { repeats };
}

const isWorst = /(?<!\p{L})(?:worst|schlechteste\p{L}*)(?!\p{L})/iu;

/** Returns whether both conditions are the same limit, such as `params <= 20000`. */
const isSameLimit = (one: Condition, other: Condition): boolean =>
  one.value === other.value && one.comparator === other.comparator && isLimit(one);

/** Splits a text into sentences; the dots in `0.3` and `train.py` do not end one. */
const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.!?;])\s+|\n+/).filter((sentence) => sentence.trim() !== '');

const clauseEnd =
  /[,;:]\s+|\s(?:with|while|but|mit|wobei|aber)\s|(?:(?<=%|percent|prozent)\s(?:and|und)\s|\s(?:and|und)\s(?=(?:keep|hold|with|lower|reduce|cut|halve|raise|get|bring|halte|senke|halbiere|bringe|erhöhe|mit)\s))/iu;

/**
 * Returns the relative conditions of a sentence, whose clauses may have bounds: `lower val_loss by 12
 * %, with val_acc above 0.9`.
 */
function improvementsIn(sentence: string): Condition[] {
  const isBound = (text: string): boolean => conditionsIn(text).length > 0;
  const whole = isBound(sentence) ? [] : relativeConditions(sentence);
  if (whole.length > 0) return whole;
  return sentence
    .split(clauseEnd)
    .flatMap((clause) => (isBound(clause) ? [] : relativeConditions(clause)));
}

function conditionsIn(sentence: string): Condition[] {
  const phrases = metricPhrases(sentence);
  const conditions: Condition[] = [];
  let from = 0;
  for (const match of sentence.matchAll(comparison)) {
    const condition = conditionOf({ sentence, phrases, from }, match);
    if (condition === undefined && isUnread(sentence, match, conditions)) return [];
    if (condition === undefined) continue;
    conditions.push(condition);
    from = match.index + match[0].length;
  }
  return conditions.length > 0 ? conditions : bareNumbers(sentence, phrases);
}

/**
 * Returns whether the sentence has a second number without a unit that was not understood: `WER
 * under 8 % and on other data under 4 %`. A target with only one of the numbers would be wrong.
 */
function isUnread(
  sentence: string,
  match: RegExpExecArray,
  conditions: readonly Condition[],
): boolean {
  if (conditions.length === 0 || isWeak(wordingOf(match.groups?.['word'] ?? ''))) return false;
  const before = sentence.slice(0, match.index);
  const after = sentence.slice(match.index + match[0].length);
  return !setting.test(before) && !amountUnit.test(after) && follows.test(after);
}

/** Reads numbers that directly follow their metric: `val_loss 0.3`, `reach reward 200`. */
function bareNumbers(sentence: string, phrases: readonly MetricPhrase[]): Condition[] {
  return phrases.flatMap(({ metric, end, isCertain }): Condition[] => {
    const found = bare.exec(sentence.slice(end));
    const after = sentence.slice(end + (found?.[0].length ?? 0));
    const direction = directionOf(metric);
    if (found === null || !isCertain || direction === 'none') return [];
    if (amountUnit.test(after) || !(follows.test(after) || boundAfter.test(after))) return [];
    const { number = '' } = found.groups ?? {};
    return [
      {
        metric,
        comparator: direction === 'lower' ? '<=' : '>=',
        value: numberOf(number, sentence),
        ...marksOf(found.groups ?? {}),
      },
    ];
  });
}

interface Place {
  readonly sentence: string;
  readonly phrases: readonly MetricPhrase[];
  /** Position where the previous condition ends. */
  readonly from: number;
}

type Marks = Pick<Condition, 'isPercent' | 'isRelative'>;

/** Returns how the number of a match is meant: as a percentage, or as a share of the baseline. */
const marksOf = ({ percent, relative }: Readonly<Record<string, string | undefined>>): Marks => ({
  ...(percent !== undefined && { isPercent: true }),
  ...(relative !== undefined && { isRelative: true }),
});

function conditionOf(place: Place, match: RegExpExecArray): Condition | undefined {
  const { word = '', number = '' } = match.groups ?? {};
  const after = place.sentence.slice(match.index + match[0].length);
  if (start.test(word) && goesOn.test(after)) return undefined;
  const phrase = phraseBefore(place, match, wordingOf(word)) ?? phraseAfter(place, match);
  if (phrase === undefined) return undefined;
  const isTime = /(?:time|latency|dauer|zeit|_ms|_s)$/i.test(phrase.metric);
  const rest = phrase.start > match.index ? '' : isTime ? after.replace(timeUnit, '') : after;
  if (amountUnit.test(rest) || !(follows.test(rest) || boundAfter.test(rest))) return undefined;
  const comparator = comparatorOf(place, match, phrase.metric);
  if (comparator === undefined) return undefined;
  const value = numberOf(number, place.sentence);
  return {
    metric: phrase.metric,
    comparator,
    value,
    ...marksOf(match.groups ?? {}),
  };
}

/** Word before the first number of `from 1.2 to 0.8`, `von 1,2 auf 0,8`. */
const start = /^(?:of|von)$/iu;
const goesOn = /^\s*(?:down\s+)?(?:to|auf|bis)\s+(?:\p{L}+\s+)?[\d.]/iu;

const maxNameChars = 100;

const isWeak = (wording: Wording): boolean => wording === 'reach';
const weakNear = /^(?:of|is|be|=|:|bei|von|beträgt|liegt bei)$/iu;

/** Returns the metric before a comparator to which the comparator applies. */
function phraseBefore(
  { sentence, phrases, from }: Place,
  match: RegExpExecArray,
  wording: Wording,
): MetricPhrase | undefined {
  const word = match.groups?.['word'] ?? '';
  const direct = directName(sentence.slice(from, match.index), word, from);
  const phrase = phrases.findLast(({ start, end }) => start >= from && end <= match.index);
  if (phrase === undefined) return direct;
  const gap = sentence.slice(phrase.end, match.index);
  const isNear = weakNear.test(word)
    ? /^\s*(?:should|must|has to|needs to|shall|soll|muss|value|score)?\s*$/i.test(gap)
    : between.test(gap) && !elsewhere.test(gap.replace(seedList, ' '));
  if (isNear && (phrase.isCertain || gap.trim() === '' || !isWeak(wording))) return phrase;
  return direct;
}

/** Returns an unknown metric name that stands directly before its comparator: `my_score > 7`. */
function directName(before: string, word: string, from: number): MetricPhrase | undefined {
  const near = before.slice(-maxNameChars);
  const found = /(?<name>\p{L}[\p{L}\p{N}_@/.-]*)\s*(?:is|stays|gets|goes)?\s*$/iu.exec(near);
  const metric = found?.groups?.['name'];
  if (found === null || metric === undefined) return undefined;
  if (outside.test(metric)) return undefined;
  const isSymbol = /^[<>≤≥]/.test(word);
  const isNamed = /[_/]/.test(metric) && wordingOf(word) !== 'reach' && !/\.\w+$/.test(metric);
  if (!(isSymbol || isNamed) || /(?:memory|size|count|params|steps?|epochs?)$/i.test(metric))
    return undefined;
  const start = from + before.length - near.length + found.index;
  return { metric, start, end: start + metric.length, isCertain: true };
}

/**
 * Returns the metric after the number: `95 % test accuracy`, `at least 0.98 validation accuracy`.
 */
function phraseAfter(
  { sentence, phrases }: Place,
  match: RegExpExecArray,
): MetricPhrase | undefined {
  const end = match.index + match[0].length;
  const phrase = phrases.find(({ start }) => start >= end);
  if (phrase === undefined) return undefined;
  const gap = sentence.slice(end, phrase.start);
  return /^\s*(?:of|in|for|as|on|an|bei der|bei|der|mean|average)?\s*$/i.test(gap)
    ? phrase
    : undefined;
}

/**
 * Returns the comparator of a condition; `undefined` if the better direction is unknown, or
 * contradicts the comparator.
 */
function comparatorOf(
  { sentence }: Place,
  match: RegExpExecArray,
  metric: string,
): Comparator | undefined {
  const { word = '' } = match.groups ?? {};
  const direction = directionOf(metric);
  const wording = wordingOfMatch(sentence, match);
  if (wording === 'reach' || wording === 'beat') {
    const [low, high]: [Comparator, Comparator] = wording === 'reach' ? ['<=', '>='] : ['<', '>'];
    return direction === 'none' ? undefined : direction === 'lower' ? low : high;
  }
  const isNegated = negationBefore.test(sentence.slice(0, match.index));
  const comparator = isNegated ? negated[wording] : wording;
  const agrees = direction === 'none' || (direction === 'lower') === isLowerBetter(comparator);
  return agrees || /^\W/.test(word) ? comparator : undefined;
}

/** Returns the wording of a match, including a bound after the number: `0.98 or more`. */
function wordingOfMatch(sentence: string, match: RegExpExecArray): Wording {
  const bound = boundAfter.exec(sentence.slice(match.index + match[0].length))?.groups;
  if (bound?.['more'] !== undefined) return '>=';
  return bound?.['less'] === undefined ? wordingOf(match.groups?.['word'] ?? '') : '<=';
}

const german =
  /(?:^|\s)(?:unter|über|auf|bis|der|die|das|und|mindestens|höchstens|von|mit)(?=\s)/iu;

/** Reads `0,02` and `97,5` as decimals, and `1,000` as a thousand outside German text. */
function numberOf(text: string, sentence: string): number {
  const isThousands = /^[-+]?[1-9]\d{0,2}(?:,\d{3})+$/.test(text) && !german.test(sentence);
  return Number(isThousands ? text.replaceAll(',', '') : text.replace(',', '.'));
}
