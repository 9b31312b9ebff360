/** Reads the label in front of a number: which metric or counter the number belongs to. */
import { isKnownMetric } from '../direction.ts';
import { counterOf, leafOf, type Counter } from './stepReader.ts';

export interface Meaning {
  /** Name of the metric; undefined if the label does not name a metric. */
  readonly metric?: string | undefined;
  readonly counter?: Counter | undefined;
  /** Whether the metric is accepted on first occurrence and in weak forms such as `loss 0.5`. */
  readonly isKnown: boolean;
}

/** Returns the meaning of a label. */
export type Reading = (label: string) => Meaning;

const maxRemembered = 5000;
/**
 * Maximum length of a label with a meaning: a line without numbers can be a single label of a
 * megabyte.
 */
const maxLabelChars = 1000;

/** Caches the result for each label, because labels repeat on every line. */
export function remembering<T>(read: (label: string) => T, tooLong: T): (label: string) => T {
  const remembered = new Map<string, T>();
  return (label) => {
    if (label.length > maxLabelChars) return tooLong;
    const cached = remembered.get(label);
    if (cached !== undefined) return cached;
    if (remembered.size >= maxRemembered) remembered.clear();
    const found = read(label);
    remembered.set(label, found);
    return found;
  };
}

const noMeaning: Meaning = { isKnown: false };

/**
 * Returns the same text for different spellings of a name: `val_loss`, `val/loss`, `Val Loss`,
 * `val-loss`.
 */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_./-]+/g, '_');

/**
 * Returns a `Reading` that finds the metrics in `names`. Compares the names with the whole label,
 * then with the label without its leading words (`Test Accuracy` is `accuracy` unless `names`
 * contains `test_accuracy`), then with the last part of a nested JSON key.
 */
export function askedReading(names: readonly string[]): Reading {
  const requested = new Map(names.toReversed().map((name) => [folded(name), name]));
  return remembering((label) => {
    const words = label.split(/\s+/);
    const candidates = [...words.map((_, index) => words.slice(index).join('_')), leafOf(label)];
    const metric = candidates
      .map((candidate) => requested.get(folded(candidate)))
      .find((found) => found !== undefined);
    return { metric, counter: counterIn(words), isKnown: true };
  }, noMeaning);
}

/** Returns a `Reading` that recognises counters but no metrics. */
export const counterReading = (): Reading =>
  remembering((label) => ({ counter: counterIn(label.split(/\s+/)), isKnown: false }), noMeaning);

/**
 * Returns a `Reading` for which the counters among `wanted` are metrics, too: `epoch` for `epoch
 * 3/6`.
 */
export function withCounters(reading: Reading, wanted: readonly string[]): Reading {
  const counters = new Map(
    wanted.flatMap((name) =>
      counterOf(name) === undefined ? [] : [[singular(name), name] as const],
    ),
  );
  if (counters.size === 0) return reading;
  return remembering((label) => {
    const meaning = reading(label);
    if (meaning.counter === undefined || meaning.metric !== undefined) return meaning;
    const metric = counters.get(singular(label.split(/\s+/).at(-1) ?? ''));
    return { ...meaning, metric, isKnown: false };
  }, noMeaning);
}

const singular = (name: string): string => leafOf(name).replace(/s$/, '');

const neverMetric = new RegExp(
  '^_?(?:timestamp|ts|date|datetime|(?:created|updated)_at|(?:start|end)_time|eta|elapsed|remaining|runtime|progress|' +
    'percent|pct|pid|ppid|id|uid|uuid|run_id|job_id|port|seed|rank|local_rank|world_size|version|v_num|line|localhost|' +
    'https?|status|exit_?code|code|cuda|gpu|cpu|npu|xpu|tpu|worker|node|host|device|year|month|day|py|ipynb|js|ts|sh|' +
    'c|cc|cpp|cu|h|log|txt|yaml|yml|json|toml|md|pt|pth|ckpt|csv)$',
);
const controlCharacter = new RegExp('[\\u0000-\\u001f\\u007f]');
const maxNameChars = 200;

/**
 * Returns whether a name can be stored in `points.names`: not empty, at most 200 characters, no
 * control characters.
 */
export const isUsableName = (name: string): boolean =>
  name !== '' && name.length <= maxNameChars && !controlCharacter.test(name);

/**
 * Returns a `Reading` that detects metrics: `Val Loss` is the metric `val_loss`; counters, times,
 * ids, file names and hosts are not metrics.
 */
export const detectedReading = (): Reading =>
  remembering((label) => {
    const words = label.replace(/[./@-]+$/, '').split(/\s+/);
    const bare = words.at(-1) ?? '';
    if (isCounter(words)) return { counter: counterIn(words), isKnown: false };
    const metric = words.length > 1 ? words.join('_').toLowerCase() : bare;
    if (!isUsableName(metric) || neverMetric.test(leafOf(metric))) return noMeaning;
    return { metric, isKnown: isKnownMetric(metric) };
  }, noMeaning);

const isCounter = (words: readonly string[]): boolean =>
  (counterOf(words.join('_')) ?? counterOf(words.at(-1) ?? '')) !== undefined;

/**
 * Returns the counter that a label names. Ignores labels such as `total steps` and `best epoch`,
 * whose number is not the current step.
 */
const counterIn = (words: readonly string[]): Counter | undefined =>
  words.slice(0, -1).some((word) => /^(?:total|best|final|avg|average|mean)$/i.test(word))
    ? undefined
    : counterOf(words.at(-1) ?? '');
