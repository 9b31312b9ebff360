/** Meaning of a number's label. */
import { isKnownMetric } from './direction.ts';
import { counterOf, leafOf, type Counter } from './stepReader.ts';

export interface Meaning {
  /** Name of the metric; undefined when the number is not a point. */
  readonly metric?: string | undefined;
  readonly counter?: Counter | undefined;
  /** True for a metric that is accepted in any form on first occurrence. */
  readonly isKnown: boolean;
}

export type Reading = (label: string) => Meaning;

const maxRemembered = 5000;

/** Caches meanings, since labels repeat on every line. */
function remembering(read: Reading): Reading {
  const known = new Map<string, Meaning>();
  return (label) => {
    const before = known.get(label);
    if (before !== undefined) return before;
    if (known.size >= maxRemembered) known.clear();
    const meaning = read(label);
    known.set(label, meaning);
    return meaning;
  };
}

/** Returns one spelling for `val_loss`, `val/loss`, `Val Loss`, `val-loss`. */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_./-]+/g, '_');

/**
 * Returns a reading that finds the requested name in a label: the whole label, else the label
 * without leading words (`Test Accuracy` is `accuracy` unless `test_accuracy` was requested), else
 * the leaf of a nested JSON key.
 */
export function askedReading(names: readonly string[]): Reading {
  const asked = new Map(names.toReversed().map((name) => [folded(name), name]));
  return remembering((label) => {
    const words = label.split(/\s+/);
    const candidates = [...words.map((_, index) => words.slice(index).join('_')), leafOf(label)];
    const metric = candidates
      .map((candidate) => asked.get(folded(candidate)))
      .find((found) => found !== undefined);
    return { metric, counter: counterIn(words), isKnown: true };
  });
}

/** Returns a reading that recognises counters only. */
export const counterReading = (): Reading =>
  remembering((label) => ({ counter: counterIn(label.split(/\s+/)), isKnown: false }));

const neverMetric = new RegExp(
  '^_?(?:timestamp|ts|date|datetime|(?:created|updated)_at|(?:start|end)_time|eta|elapsed|remaining|runtime|progress|' +
    'percent|pct|pid|ppid|id|uid|uuid|run_id|job_id|port|seed|rank|local_rank|world_size|version|v_num|line|localhost|' +
    'https?|status|exit_?code|code|cuda|gpu|cpu|npu|xpu|tpu|worker|node|host|device|year|month|day|py|ipynb|js|ts|sh|' +
    'c|cc|cpp|cu|h|log|txt|yaml|yml|json|toml|md|pt|pth|ckpt|csv)$',
);
const controlCharacter = new RegExp('[\\u0000-\\u001f\\u007f]');
const maxNameChars = 200;

/**
 * Returns true for a name that is valid in the file of names: not empty, at most 200 characters, no
 * control characters.
 */
export const isUsableName = (name: string): boolean =>
  name !== '' && name.length <= maxNameChars && !controlCharacter.test(name);

/**
 * Returns a reading that detects metrics: `Val Loss` is the metric `val_loss`; counters, clocks,
 * ids, file names and hosts are not metrics.
 */
export const detectedReading = (): Reading =>
  remembering((label) => {
    const words = label.replace(/[./@-]+$/, '').split(/\s+/);
    const bare = words.at(-1) ?? '';
    if (isCounter(words)) return { counter: counterIn(words), isKnown: false };
    const metric = words.length > 1 ? words.join('_').toLowerCase() : bare;
    if (!isUsableName(metric) || neverMetric.test(leafOf(metric))) return { isKnown: false };
    return { metric, isKnown: isKnownMetric(metric) };
  });

const isCounter = (words: readonly string[]): boolean =>
  (counterOf(words.join('_')) ?? counterOf(words.at(-1) ?? '')) !== undefined;

/**
 * Ignores counts such as `total steps: 5000` and `best epoch: 3`, which do not give the step of the
 * line.
 */
const counterIn = (words: readonly string[]): Counter | undefined =>
  words.slice(0, -1).some((word) => /^(?:total|best|final|avg|average|mean)$/i.test(word))
    ? undefined
    : counterOf(words.at(-1) ?? '');
