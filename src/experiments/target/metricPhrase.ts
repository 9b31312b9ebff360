/**
 * Finds the names of metrics in the text of a goal: `val_loss`, `validation loss`, `success rate`.
 */
import { directionOf, isKnownMetric } from '../../metrics/direction.ts';
import { isSplitWord } from '../../metrics/metricName.ts';

export interface MetricPhrase {
  readonly metric: string;
  /** Position of the first character, and of the first character after the phrase. */
  readonly start: number;
  readonly end: number;
  /** False for words that are also ordinary words, such as `error` or `score`. */
  readonly isCertain: boolean;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const wordPattern = /\p{L}[\p{L}\p{N}_@/-]*(?:\.(?=\p{L})[\p{L}\p{N}_@/-]+)*/gu;
const filePattern =
  /(?:^|\/)[\w.-]*\.(?:py|sh|md|txt|csv|tsv|jsonl?|ya?ml|toml|ipynb|cpp|cu|c|js|ts|pt|npz?|tex|pdf)$/i;
/** Last words of metric names: `success rate`, `chamfer distance`, `F1 score`. */
const heads = /^(?:rate|score|distance|correlation)$/i;
/** Words before a metric that belong to its name: `relative error`, `top-1 accuracy`. */
const kinds =
  /^(?:relative|absolute|reconstruction|word|character|phoneme|squared|entropy|top-?\d+|balanced|macro|micro|episode|episodic|total|prediction|generalization|classification|l1|l2|huber|contrastive)$/i;
/** Settings whose name ends like that of a metric. */
const settingRate = /^(?:learning|dropout|drop|decay|sampling|mutation)[\s_-]rate$/i;
const averages = /^(?:mean|average|avg)$/i;
const averaged = /^(?:returns?|rewards?|scores?|precision|iou|squared)$/i;
/** Words that are neither a metric nor part of the name of the metric that follows. */
export const outside =
  /^(?:the|an?|its?|his|our|your|their|of|on|in|at|to|for|with|and|or|by|from|over|than|that|this|as|is|be|was|are|get|gets|bring|brings|push|drive|take|make|makes|keep|keeps|reduce|lower|lowers|cut|raise|increase|improve|boost|decrease|halve|double|minimi[sz]e|maximi[sz]e|optimi[sz]e|reach|achieve|hit|beat|mean|average|averaged|median|best|better|lowest|highest|minimal|maximal|smallest|possible|final|last|good|low|high|lower|higher|worst|each|every|all|any|no|not|model|network|script|whose|where|until|while|when|if|then|its|der|die|das|den|dem|des|ein|eine|einen|einer|im|in|am|auf|von|mit|und|oder|bis|senke|erhöhe|steigere|verbessere|bringe|erreiche|minimiere|maximiere|reduziere|mittlere[nr]?|beste[nr]?|niedrigste[nr]?|höchste[nr]?|kleinste[nr]?|möglichst|same|new|current|baseline|percent|prozent|should|must)$/i;

const words = (text: string): Word[] =>
  [...text.matchAll(wordPattern)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));

/** Returns all metrics that the text names, in their order. */
export function metricPhrases(text: string): MetricPhrase[] {
  const all = words(text);
  const phrases: MetricPhrase[] = [];
  for (const [index, word] of all.entries()) {
    if (!isMetricWord(word.text)) continue;
    const from = firstWord(all, index, text);
    const start = all[from]?.start ?? word.start;
    const previous = phrases.at(-1);
    // The later word decides: in `loss rate`, the metric ends with `rate`, so drop `loss`.
    if (previous !== undefined && start < previous.end) phrases.pop();
    const metric = text.slice(start, word.end);
    if (settingRate.test(metric)) continue;
    phrases.push({ metric, start, end: word.end, isCertain: isCertain(metric, from < index) });
  }
  return phrases;
}

const isMetricWord = (word: string): boolean => {
  if (filePattern.test(word) || isSplitWord(word)) return false;
  if (/^(?:rate|loss|time)$/i.test(word)) return true;
  return directionOf(word) !== 'none';
};

const isCertain = (metric: string, isLonger: boolean): boolean =>
  /[_/]/.test(metric) || isKnownMetric(metric) || (isLonger && directionOf(metric) !== 'none');

const isNoun = (word: string): boolean =>
  !outside.test(word) && !isSplitWord(word) && !filePattern.test(word);

/** Returns the index of the first word of the phrase that ends with word `last`. */
function firstWord(all: readonly Word[], last: number, text: string): number {
  let first = last;
  const before = (): Word | undefined => {
    const [word, next] = [all[first - 1], all[first]];
    if (word === undefined || next === undefined) return undefined;
    return /^[\s-]*$/.test(text.slice(word.end, next.start)) ? word : undefined;
  };
  const head = all[last]?.text ?? '';
  const noun = before();
  const isPart =
    noun !== undefined &&
    (heads.test(head) ? isNoun(noun.text) : kinds.test(noun.text)) !==
      (averaged.test(head) && averages.test(noun.text));
  if (isPart) first -= 1;
  for (let word = before(); word !== undefined; word = before()) {
    const isSet = /^set$/i.test(word.text) && isSplitWord(all[first - 2]?.text ?? '');
    if (!isSplitWord(word.text) && !isSet) break;
    first -= 1;
  }
  return first;
}
