/**
 * Reads a goal without a number: which metric to improve, and in which direction, such as `lowest
 * test perplexity`, `twice as fast`.
 */
import { directionOf } from '../../metrics/direction.ts';
import { isShare } from './baselineFactors.ts';
import { metricPhrases, type MetricPhrase } from './metricPhrase.ts';
import { metricName, splitRank } from '../../metrics/metricName.ts';
import type { Condition, Objective } from './target.ts';
import { comparatorSource } from './wordings.ts';

const lowest =
  /\b(?:lowest|minimal|minimum|smallest|least|minimi[sz]\p{L}*|as (?:low|small) as|niedrigste\p{L}*|kleinste\p{L}*|minimal\p{L}*|minimiere\p{L}*|möglichst (?:niedrig|klein|gering)\p{L}*|geringste\p{L}*)(?!\p{L})/iu;
const highest =
  /\b(?:highest|maximum|largest|maximi[sz]\p{L}*|as (?:high|large) as|höchste\p{L}*|maximal\p{L}*|maximiere\p{L}*|möglichst hoh\p{L}*)(?!\p{L})/iu;
const wishes =
  /\b(?:best|better|lower|reduce|decrease|cut|improve|optimi[sz]e|raise|increase|boost|higher|beste\p{L}*|besser\p{L}*|verbesser\p{L}*|senke\p{L}*|reduzier\p{L}*|steiger\p{L}*|erhöhe\p{L}*)(?!\p{L})/iu;

/** Returns the metric that ranks runs; prefers metrics on validation and test data. */
export function readObjective(text: string): Objective | undefined {
  const wants = lowest.test(text) || highest.test(text) || wishes.test(text);
  const usable = metricPhrases(text).filter(
    ({ metric, isCertain }) =>
      (isCertain || wants) && (isCertain || directionOf(metric) !== 'none') && isObjective(metric),
  );
  const [phrase] = usable.toSorted(
    (a, b) =>
      Number(b.isCertain) - Number(a.isCertain) || splitRank(a.metric) - splitRank(b.metric),
  );
  if (phrase === undefined) return undefined;
  const direction = directionNear(text, phrase);
  return direction === undefined ? undefined : { metric: phrase.metric, direction };
}

/** Returns false for a metric whose core is only a word such as `rate`: it could be any metric. */
const isObjective = (metric: string): boolean => !/^(?:rate|time)$/.test(metricName(metric).core);

function directionNear(
  text: string,
  { metric, start }: MetricPhrase,
): Objective['direction'] | undefined {
  const own = directionOf(metric);
  if (own !== 'none') return own;
  const before = text.slice(Math.max(0, start - 40), start);
  if (lowest.test(before)) return 'lower';
  return highest.test(before) ? 'higher' : undefined;
}

const number = '(?<!\\d)(\\d+(?:[.,]\\d+)?)';
const timesBetter = new RegExp(
  `${number}\\s*(?:x|×|times|-?\\s?fold|-?fach|mal)\\s+(?<word>faster|quicker|lower|smaller|less|higher|better|larger|schneller|kleiner|niedriger|geringer|höher|besser|the(?!\\s+baseline)|so schnell|as fast)(?!\\p{L})`,
  'iu',
);
const twice = /\b(?:twice as fast|doppelt so schnell)\b/iu;
const halve =
  /\b(?:halv(?:e|es|ed|ing)|half the|cut\b[^.;]*\bin half|by half|halbier\p{L}*|die hälfte)(?!\p{L})/iu;
const double = /\b(?:double|doubles|doubling|verdopp\p{L}*)(?!\p{L})/iu;
const byPercent = new RegExp(
  `(?:(?:\\bby|\\bum)\\s+(?:at least\\s+|mindestens\\s+)?${number}\\s*(?:%|percent|prozent))|(?:${number}\\s*(?:%|percent|prozent)\\s+(?:faster|lower|smaller|less|higher|better|schneller|niedriger|kleiner|geringer|höher|besser)(?!\\p{L}))`,
  'iu',
);
/** A share of the baseline after a comparator, which is a bound and no improvement. */
const comparedFactor = new RegExp(
  `(?:${comparatorSource})\\s*(?:the\\s+)?\\d[\\d.]*(?:e-?\\d+)? × the baseline`,
  'iu',
);

/** Returns the conditions of a sentence that are relative to the baseline. */
export function relativeConditions(sentence: string): Condition[] {
  const factor = comparedFactor.test(sentence) ? undefined : factorOf(sentence);
  if (factor === undefined) return [];
  const metric = metricOf(sentence);
  if (metric === undefined) return [];
  if (factor.isPercent && isShare(metric)) return [];
  const direction = metric === 'time' ? 'lower' : directionOf(metric);
  if (direction === 'none') return [];
  const value = valueOf(factor, direction);
  if (!(value > 0) || !Number.isFinite(value)) return [];
  return [
    { metric, comparator: direction === 'lower' ? '<=' : '>=', value, isRelative: true as const },
  ];
}

interface Factor {
  /** Factor of the improvement: 2 for `twice as fast`, and also for `halve`. */
  readonly times?: number;
  /** Improvement in percent. */
  readonly percent?: number;
  readonly isPercent: boolean;
}

function factorOf(sentence: string): Factor | undefined {
  const times = timesBetter.exec(sentence);
  if (times?.[1] !== undefined) return { times: decimal(times[1]), isPercent: false };
  if (twice.test(sentence) || halve.test(sentence) || double.test(sentence))
    return { times: 2, isPercent: false };
  const percent = byPercent.exec(sentence);
  const amount = percent?.[1] ?? percent?.[2];
  return amount === undefined ? undefined : { percent: decimal(amount), isPercent: true };
}

const decimal = (text: string): number => Number(text.replace(',', '.'));

function valueOf({ times, percent = 0 }: Factor, direction: Objective['direction']): number {
  if (times !== undefined) return direction === 'lower' ? 1 / times : times;
  const share = percent / 100;
  return Number((direction === 'lower' ? 1 - share : 1 + share).toPrecision(12));
}

/**
 * Returns the metric of a sentence; `time` for `faster` without a metric, `undefined` if it is not
 * certain.
 */
function metricOf(sentence: string): string | undefined {
  const named = metricPhrases(sentence)
    .map(({ metric }) => metric)
    .filter((metric) => !/^(?:rate|time)$/.test(metricName(metric).core));
  const isSpeed = speed.test(sentence);
  // With two metrics, or a metric and a speed, it is not certain which is meant.
  if (named.length > (isSpeed ? 0 : 1)) return undefined;
  return isSpeed ? 'time' : named[0];
}

const speed = /\b(?:faster|quicker|as fast|schneller|so schnell|time|runtime|laufzeit)\b/iu;
