/**
 * Names of one metric in different spellings: `test ppl`, `test_ppl`, `test/perplexity`. A name has
 * a core (`ppl`) and may name the data that it was measured on (`test`).
 */
export type Split = 'val' | 'test' | 'train';

export interface MetricName {
  /**
   * Words in canonical spelling, joined by `_`, without the words of the split, `mean`, and units
   * of time.
   */
  readonly core: string;
  /** All words in canonical spelling, joined by `_`. */
  readonly full: string;
  readonly split?: Split;
}

const splits: Readonly<Record<string, Split>> = {
  val: 'val',
  valid: 'val',
  validation: 'val',
  dev: 'val',
  eval: 'val',
  evaluation: 'val',
  heldout: 'val',
  holdout: 'val',
  validierung: 'val',
  validierungs: 'val',
  test: 'test',
  testing: 'test',
  train: 'train',
  training: 'train',
  tr: 'train',
  trainings: 'train',
};

/** Other spellings of a word → its canonical spelling. */
const synonyms: Readonly<Record<string, string>> = {
  accuracy: 'acc',
  accuracies: 'acc',
  genauigkeit: 'acc',
  perplexity: 'ppl',
  perplexität: 'ppl',
  losses: 'loss',
  verlust: 'loss',
  errors: 'error',
  err: 'error',
  fehler: 'error',
  fehlerrate: 'error_rate',
  precision: 'prec',
  rewards: 'reward',
  returns: 'return',
  belohnung: 'reward',
  auroc: 'auc',
  rocauc: 'auc',
  fscore: 'f1',
  runtime: 'time',
  elapsed: 'time',
  duration: 'time',
  walltime: 'time',
  laufzeit: 'time',
  wallclock: 'time',
  params: 'parameters',
  param: 'parameters',
  parametern: 'parameters',
};

/** German compound → its English words. */
const compounds: Readonly<Record<string, readonly string[]>> = {
  validierungsverlust: ['val', 'loss'],
  trainingsverlust: ['train', 'loss'],
  testverlust: ['test', 'loss'],
  testgenauigkeit: ['test', 'acc'],
  validierungsgenauigkeit: ['val', 'acc'],
};

const names = new Map<string, MetricName>();
const maxNames = 5000;

/** Returns the parts of a name. Ignores case, `_`, `-`, `.`, `/`, blanks and camel case. */
export function metricName(text: string): MetricName {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= maxNames) names.clear();
  const name = readName(text);
  names.set(text, name);
  return name;
}

function readName(text: string): MetricName {
  const words = text
    .replace(/held[-\s]out/gi, 'heldout')
    .replace(/roc[-_\s]auc/gi, 'rocauc')
    .replace(/([a-zäöü\d])([A-ZÄÖÜ])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}@%]+/u)
    .flatMap((word) => compounds[word] ?? [word])
    .filter((word) => word !== '' && word !== 'set');
  const split = words.map((word) => splits[word]).find((one) => one !== undefined);
  const rest = words.filter((word) => splits[word] === undefined);
  const full = words.map((word) => splits[word] ?? synonyms[word] ?? word).join('_');
  // `f1_score` and `f1` are one metric.
  const parts = rest.filter((word, index) => index === 0 || word !== 'score');
  const named = parts.filter(
    (word, index) => !meanWords.has(word) && !(index > 0 && unitWords.has(word)),
  );
  // A metric may be named only by its data, such as `test`.
  const core = (named.length > 0 ? named : words).map((word) => synonyms[word] ?? word).join('_');
  return { core, full, ...(split && rest.length > 0 && { split }) };
}

/** Returns all spellings of a word in names of metrics: for `params` also `parameters`. */
export const spellingsOf = (word: string): readonly string[] => {
  const lower = word.toLowerCase();
  const canonical = synonyms[lower] ?? lower;
  const others = Object.keys(synonyms).filter((other) => synonyms[other] === canonical);
  return [...new Set([lower, canonical, ...others])];
};

const unitWords: ReadonlySet<string> = new Set(['ms', 'us', 'ns', 's', 'sec', 'secs', 'seconds']);
const meanWords: ReadonlySet<string> = new Set(['mean', 'average', 'avg']);

export const isSplitWord = (word: string): boolean =>
  splits[word.toLowerCase().replace('-', '')] !== undefined;

/**
 * Rank of the data that a metric was measured on. Of several metrics, the one with the lowest rank
 * is preferred for a goal.
 */
const splitRanks = { val: 0, test: 1, none: 2, train: 3 } as const;

export const splitRank = (name: string): number => splitRanks[metricName(name).split ?? 'none'];

/** Returns whether both names are spellings of one metric on the same data. */
export function isSameMetric(one: string, other: string): boolean {
  const [a, b] = [metricName(one), metricName(other)];
  return a.core === b.core && a.split === b.split;
}

/**
 * Returns the name in `printed` that `wanted` refers to, in this order: the same spelling; another
 * spelling; if `wanted` names no data, the same metric on validation, test, then training data; the
 * last part of a path (`loss` for `model/loss`). Never returns a metric on other data than `wanted`
 * names.
 */
export function findMetric(wanted: string, printed: readonly string[]): string | undefined {
  const lower = wanted.toLowerCase();
  const exact = printed.find((name) => name === wanted);
  const alike = exact ?? printed.find((name) => name.toLowerCase() === lower);
  if (alike !== undefined) return alike;
  const { core, full, split } = metricName(wanted);
  const spelled = printed.find((name) => metricName(name).full === full);
  if (spelled !== undefined) return spelled;
  const sameCore = printed.filter((name) => metricName(name).core === core);
  const sameData = sameCore.find((name) => metricName(name).split === split);
  if (sameData !== undefined) return sameData;
  if (split !== undefined) return undefined;
  const [nearest] = sameCore.toSorted((a, b) => splitRank(a) - splitRank(b));
  return nearest ?? printed.find((name) => metricName(lastPart(name)).core === core);
}

const lastPart = (name: string): string => name.split('/').at(-1) ?? name;
