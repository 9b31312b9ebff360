/**
 * Brings the ways to name a share of the baseline into one form: `0.5 × the baseline`, and for `10 %
 * below the baseline`, `at most 0.9 × the baseline`.
 */
import { directionOf } from '../../metrics/direction.ts';
import { metricPhrases } from './metricPhrase.ts';

const ofBaseline = String.raw`(?:(?:of|von|der|die|des|dem|the|its|our)\s+){0,3}baseline(?!\p{L})(?:'s(?:\s+value)?)?`;
const number = String.raw`(?<![\p{L}\d_.,/-])(?<number>\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)(?:\/(?<divisor>[1-9]\d*))?`;
const half = String.raw`(?:(?:the|der|die|dem)\s+)?(?:half|hälfte)`;
const forms: readonly RegExp[] = [
  // The printed form with the value of the baseline: `0.31 (half of the baseline's 0.62, run 2)`.
  String.raw`(?<![\p{L}\d_.,/-])-?\d\S*\s*\((?:${half}|${number}\s*×)\s+${ofBaseline}[^()]*\)`,
  String.raw`${number}\s*(?:(?<percent>%|percent|per\s+cent|prozent)|×|x|\*|times|mal|-?\s?fold|-?\s?fache?[ns]?)\s*${ofBaseline}`,
  String.raw`(?<!\p{L})${half}\s+${ofBaseline}`,
  String.raw`(?<=[<>≤≥]=?\s*)(?:(?:the|der|die)\s+)?(?<whole>baseline)(?!\p{L})(?!\s*[-+*×/\d])`,
].map((source) => new RegExp(source, 'giu'));

/** Words before a percentage, by the bound that they set on the distance from the baseline. */
const bounds = {
  least: 'at\\s+least|by\\s+at\\s+least|mindestens|um\\s+mindestens|wenigstens',
  over: 'by\\s+more\\s+than|more\\s+than|(?:um\\s+)?mehr\\s+als',
  most: 'at\\s+most|no\\s+more\\s+than|not\\s+more\\s+than|up\\s+to|höchstens|maximal|nicht\\s+mehr\\s+als',
  under: 'less\\s+than|weniger\\s+als',
} as const;
/** Text after the baseline that says nothing about it: `on gpu1`, `please`. */
const afterBaseline = String.raw`(?=\s*(?:$|[.,;:!?)(]|(?:and|und|but|aber|with|mit|without|ohne|over|über|averaged|gemittelt|mean|im\s+mittel|as|als|on|auf|in|im|at|bei|for|für|within|innerhalb|while|using|by|per|pro|across|each|so|then|dann|please|bitte|instead|now|if|when|wenn)(?!\p{L})))`;
const distance = new RegExp(
  String.raw`(?<![\p{L}\d_.,/-])(?:(?:(?<least>${bounds.least})|(?<over>${bounds.over})|(?<most>${bounds.most})|(?<under>${bounds.under})|by|um)\s+)?(?<number>\d+(?:[.,]\d+)?)\s*(?:%|percent|per\s+cent|prozent)\s+(?:(?<below>below|under|beneath|(?:lower|less|smaller)\s+than|unter|unterhalb|(?:niedriger|kleiner|geringer|weniger)\s+als)|(?<above>above|over|(?:higher|more|greater|larger)\s+than|über|oberhalb|(?:höher|größer|mehr)\s+als)|(?<better>better\s+than|besser\s+als)|(?<worse>worse\s+than|schlechter\s+als))\s+(?:(?:of|von|der|die|des|dem|the|its|our)\s+){0,2}baseline(?:\s+(?:value|liegen|sein|bleiben|bringen|senken|drücken))?${afterBaseline}`,
  'giu',
);
/**
 * Returns whether a percentage of the metric may also mean percentage points: `improve accuracy by 5
 * %`.
 */
export const isShare = (metric: string): boolean =>
  /acc|accuracy|f1|auc|precision|recall|rate|iou|dice|score|genauigkeit|quote|bleu|rouge/i.test(
    metric,
  );

/** Maximum number of characters before a distance in which its metric is named. */
const reach = 120;

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns the text with the metric before each distance whose sentence names none before it. */
export const withMetricOfDistances = (text: string, metric: string): string =>
  text.replace(distance, (...match: unknown[]) => {
    const [whole, at] = [String(match[0]), Number(match.at(-3))];
    const before = text.slice(Math.max(0, at - reach), at).replace(/^.*[.!?;\n]\s/su, '');
    return metricPhrases(before).length > 0 ? whole : `${metric} ${whole}`;
  });

/** Returns the text with every share of the baseline as `0.5 × the baseline`. */
export const withFactors = (text: string): string =>
  forms.reduce(
    (current, form) =>
      current.replace(
        form,
        (...match: unknown[]) => `${factorOf(match.at(-1) as Groups)} × the baseline`,
      ),
    text.replace(distance, (...match: unknown[]) => {
      const [whole, at] = [String(match[0]), Number(match.at(-3))];
      const metric = metricPhrases(text.slice(Math.max(0, at - reach), at)).at(-1)?.metric;
      return metric === undefined ? whole : (distanceText(metric, match.at(-1) as Groups) ?? whole);
    }),
  );

/**
 * Returns `at most 0.9 × the baseline` for a distance such as `10 % below the baseline`; `undefined`
 * if its meaning is not certain.
 */
function distanceText(metric: string, words: Groups): string | undefined {
  const direction = directionOf(metric);
  if (direction === 'none' || isShare(metric)) return undefined;
  const isBetter =
    words['better'] !== undefined || words[direction === 'lower' ? 'below' : 'above'];
  const isBound = words['most'] !== undefined || words['under'] !== undefined;
  // `at most 10 % better` and `10 % worse` are no wishes.
  if (Boolean(isBetter) === isBound) return undefined;
  const isLess = (direction === 'lower') === Boolean(isBetter);
  const part = Number(words['number']?.replace(',', '.')) / 100;
  const factor = Number((isLess ? 1 - part : 1 + part).toPrecision(12));
  if (factor <= 0) return undefined;
  const isStrict = words['over'] !== undefined || words['under'] !== undefined;
  const [strict, loose] = direction === 'lower' ? ['below', 'at most'] : ['above', 'at least'];
  return `${isStrict ? strict : loose} ${factor} × the baseline`;
}

function factorOf({ number: digits, divisor = '1', percent, whole }: Groups): number {
  if (whole !== undefined) return 1;
  if (digits === undefined) return 0.5;
  const value = Number(digits.replace(',', '.')) / Number(divisor);
  return percent === undefined ? value : Number((value / 100).toPrecision(12));
}
