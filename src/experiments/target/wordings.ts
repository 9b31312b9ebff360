/** Words of goals in English and German that say how a metric and a number are compared. */
import type { Comparator } from './target.ts';

/**
 * Comparators by wording. `reach`: at least or at most the number, whichever is better for the
 * metric; `beat`: better than the number.
 */
export type Wording = Comparator | 'reach' | 'beat';

const wordings: Readonly<Record<Wording, string>> = {
  '<': '<|below|under|beneath|less than|lower than|smaller than|fewer than|unter|unterhalb von|kleiner als|weniger als|niedriger als|geringer als|unterschreite[nt]?',
  '<=': '<=|≤|at most|no more than|not more than|no higher than|no larger than|no worse than|at or below|at or under|up to|höchstens|maximal|nicht mehr als|nicht über|bis zu',
  '>': '>|above|over|more than|greater than|higher than|larger than|exceeds?|exceeding|surpass|surpasses|über|oberhalb von|größer als|mehr als|höher als|übersteigt|übersteigen|überschreite[nt]?',
  '>=': '>=|≥|at least|no less than|not less than|no lower than|no smaller than|not below|at or above|at or over|mindestens|wenigstens|nicht unter',
  reach:
    'to|to about|reach|reaches|reached|hits?|attains?|achieves?|gets|obtains?|wants?|needs?|get to|goes to|down to|of|is|be|=|:|gets to|auf|erreicht?|erreichen|von|bei|beträgt|liegt bei',
  beat: 'beats?|better than|besser als|schlägt',
};

interface Alternative {
  readonly wording: Wording;
  readonly source: string;
  readonly isWhole: RegExp;
}

const alternatives = (Object.entries(wordings) as [Wording, string][])
  .flatMap(([wording, words]) => words.split('|').map((word) => ({ wording, word })))
  .toSorted((a, b) => b.word.length - a.word.length)
  .map(({ wording, word }): Alternative => {
    const isWhole = new RegExp(`^(?:${word})$`, 'iu');
    return { wording, source: word.replace(/ /g, '\\s+'), isWhole };
  });

/**
 * Returns an expression of the wordings that `isUsed` accepts. Tests the letters around all words
 * once, because an expression with a test for each word is slow to compile.
 */
function sourceOf(isUsed: (wording: Wording) => boolean): string {
  const used = alternatives.filter(({ wording }) => isUsed(wording));
  const anyOf = (begins: RegExp): string =>
    used.flatMap(({ source }) => (begins.test(source) ? source : [])).join('|');
  return String.raw`(?<!\p{L})(?:${anyOf(/^\p{L}/u)})(?!\p{L})|${anyOf(/^\P{L}/u)}`;
}

export const comparatorSource = sourceOf(() => true);
/** The words and signs that say on their own which way a number is compared. */
export const boundSource = sourceOf((wording) => wording !== 'reach' && wording !== 'beat');

export function wordingOf(text: string): Wording {
  const plain = text.toLowerCase().replace(/\s+/g, ' ');
  return alternatives.find(({ isWhole }) => isWhole.test(plain))?.wording ?? 'reach';
}

/** Words after a number that turn `reach` into a bound: `0.98 or more`, `5 oder weniger`. */
export const boundAfter =
  /^\s*%?\s*(?:or|oder)\s+(?:(?<more>more|higher|better|above|mehr|höher|besser)|(?<less>less|lower|below|fewer|weniger|niedriger))/iu;

/** Units of amounts such as sizes, times and counts: `24 GB`, `3 hours`, `10 epochs`. */
export const amountUnit =
  /^[\s-]*(?:[kmgt]i?b|[kmb]|hours?|hrs?|h|minutes?|mins?|days?|weeks?|stunden?|minuten?|tagen?|epochs?|epochen?|steps?|schritten?|iterations?|iters?|tokens?|samples?|examples?|images?|episodes?|episoden?|params?|parameters?|parametern?|layers?|units?|runs?|läufen?|tasks?|seeds?|trials?|gpus?|cpus?|cores?|times|dollars?|usd|eur|euros?|cents?|points?|folds?|labels?|lines?|files?|attempts?|classes)(?![\p{L}])/iu;

/** Units of times, which are amounts unless the metric is a time. */
export const timeUnit =
  /^\s*(?:[mµn]?s|secs?|seconds?|sekunden?|milliseconds?|millisekunden?)(?!\p{L})/iu;

/** Negations before a comparator: `must not exceed`, `should never go above`. */
export const negationBefore =
  /(?:\bnot|n't|n’t|\bnever|\bnicht|\bniemals|\bnie)(?:\s+[\p{L}\d_/]+){0,3}\s*$/iu;

export const negated: Readonly<Record<Comparator, Comparator>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

export const meanWords =
  /\b(?:mean|average|averaged|avg|on average|durchschnitt\p{L}*|mittel|mittelwert|gemittelt\p{L}*|mittlere\p{L}*)(?!\p{L})/iu;
export const worstWords =
  /\b(?:worst|each (?:seed|of|run)|every (?:seed|one of|run)|all (?:seeds|of|\p{L}+ seeds)|jede[nmrs]? (?:seed|lauf)|alle[nr]? (?:\p{L}+ )?(?:seeds|läufe\p{L}*)|schlechteste\p{L}*)(?!\p{L})/iu;
export const bestWords =
  /\b(?:best (?:epoch|checkpoint|step|(?:value )?(?:of|in) (?:each|every|the) run)|early[- ]stop\p{L}*|beste[nrs]? (?:epoche|checkpoint))(?!\p{L})/iu;

export const seedWords: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  zehn: 10,
};

/** Words and letters that multiply an amount: `5M`, `20 thousand`. */
export const amountFactors: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tausend: 1e3,
  m: 1e6,
  million: 1e6,
  millionen: 1e6,
  b: 1e9,
  billion: 1e9,
  milliarden: 1e9,
};

/** Maximum number of characters of a goal that are read. */
const maxGoalChars = 20_000;

/** Returns the normalized text of a goal, for the functions that read it. */
export const readableGoal = (goal: string): string =>
  goal.slice(0, maxGoalChars).normalize('NFC').replaceAll('’', "'");
