/**
 * Reads a target in the form in which `targetText` prints it: `val_loss < 0.3, mean over seeds 0, 1
 * and params <= 20000 (best value of each run)`. Returns nothing for other texts, which are prose.
 */
import { directionOf } from '../../metrics/direction.ts';
import { metricPhrases, outside } from './metricPhrase.ts';
import {
  isLimit,
  isLowerBetter,
  objectiveOf,
  type Comparator,
  type Condition,
  type Objective,
  type Target,
  type ValueRule,
} from './target.ts';
import { seedsIn } from './readAggregate.ts';
import { amountFactors, boundSource, seedWords, wordingOf, type Wording } from './wordings.ts';

const number = String.raw`[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d.])|0,\d+|\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`;
const name = String.raw`[\p{L}_][^\s<>=≤≥,;()]*(?: [^\s<>=≤≥,;()]+){0,3}?`;
const end = String.raw`(?=\s*(?:$|[,;()]|(?:and|und|with|mit)\s))`;
const bound = new RegExp(
  String.raw`(?<metric>${name})\s*(?<sign>${boundSource})\s*(?<number>${number})(?:\s*(?:(?<unit>${Object.keys(amountFactors).join('|')})(?!\p{L})|(?<percent>%|percent|prozent)|(?<relative>× the baseline)))?${end}`,
  'iuy',
);
const lead = new RegExp(
  String.raw`(?:(?<lower>lowest|niedrigste[nrs]?)|highest|höchste[nrs]?)\s+(?<metric>(?:(?!with\s|mit\s)[^\s<>=≤≥,;()]+(?:\s(?!with\s|mit\s|and\s|und\s))?){1,4})${end}`,
  'iuy',
);
const seeds = String.raw`(?:the\s+|den\s+)?(?:seeds?\s+(?<list>\d+(?:\s*[-–]\s*\d+)?(?:\s*(?:,|,?\s(?:and|und)\s)\s*\d+(?:\s*[-–]\s*\d+)?)*)(?![\p{L}\d_.])|(?:(?<count>\d+|${Object.keys(seedWords).join('|')})\s+)?seeds)`;
const over = new RegExp(
  String.raw`\s*,?\s*\(?(?:(?<mean>mean|average|averaged|mittel|gemittelt)\s+(?:over|of|über)|(?:(?:in|for|on)\s+)?(?:each|every|all|worst)(?:\s+of)?)\s+${seeds}\)?${end}`,
  'iuy',
);
const rule = new RegExp(
  String.raw`\s*,?\s*\(?(?:the\s+)?(?:(?<best>best)|last)(?:\s+values?)?(?:\s+(?:of|in)\s+(?:each|every|the)\s+run)?\)?${end}`,
  'iuy',
);
const anyRun = new RegExp(String.raw`\s*,?\s*any\s+run${end}`, 'iuy');
const ranking = new RegExp(
  String.raw`\s*,\s*ranked\s+by\s+(?:(?<lower>lowest)|highest)\s+(?<metric>${name})${end}`,
  'iuy',
);
const joint = /\s*(?:[,;]\s*(?:(?:and|und|with|mit)\s+)?|\s(?:and|und|with|mit)\s+)/iuy;

type Groups = Readonly<Record<string, string | undefined>>;
type Suffix = Pick<Condition, 'over' | 'seeds' | 'seedCount'>;

/** Reads a text from its start, one pattern after the other. */
class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): Groups | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match.groups ?? {};
  }
}

/** Text behind a condition or behind the metric of an open target. */
interface Tail {
  suffix?: Suffix;
  /** True if one run suffices although other conditions are over several. */
  isAny?: true;
  rule?: ValueRule;
  ranked?: Objective;
}

interface Part extends Tail {
  readonly condition: Condition;
}

/** Returns the target; `undefined` for a text in another form. */
export function writtenTarget(text: string): Target | undefined {
  const cursor = new Cursor(text.trim().replace(/\.$/, ''));
  const open = openAt(cursor);
  const parts: Part[] = [];
  while (!cursor.isAtEnd) {
    const isFirst = open === undefined && parts.length === 0;
    if (!isFirst && cursor.take(joint) === undefined) return undefined;
    const condition = conditionAt(cursor);
    if (condition === undefined) return undefined;
    parts.push({ condition, ...tailAt(cursor) });
  }
  const last = (key: 'rule' | 'ranked'): Part | undefined => parts.findLast((one) => one[key]);
  const conditions = withSharedRuns(parts);
  const rule = last('rule')?.rule ?? open?.rule ?? 'last';
  if (open !== undefined) {
    const { objective, repeats } = open;
    return { conditions, objective, rule, ...(repeats && { repeats }) };
  }
  const objective = last('ranked')?.ranked ?? objectiveOf(conditions);
  return objective && { conditions, objective, rule };
}

/** Reads the start of a target that asks for the best value: `lowest val_loss, mean over seeds`. */
function openAt(
  cursor: Cursor,
): (Pick<Target, 'objective' | 'repeats'> & Pick<Tail, 'rule'>) | undefined {
  const { metric: words = '', lower } = cursor.take(lead) ?? {};
  const metric = words.trim();
  if (!isName(metric)) return undefined;
  const { suffix, rule } = tailAt(cursor);
  // Settings are ranked by their mean, so that nothing asks for the best of the worst.
  if (suffix?.over === 'worst') return undefined;
  const { over: _, ...repeats } = suffix ?? {};
  const objective = { metric, direction: lower === undefined ? 'higher' : 'lower' } as const;
  return { objective, ...(suffix && { repeats }), ...(rule && { rule }) };
}

function tailAt(cursor: Cursor): Tail {
  const tail: Tail = {};
  const tryEach = (): boolean =>
    tailPatterns.some(({ pattern, read }) => {
      const groups = cursor.take(pattern);
      if (groups !== undefined) Object.assign(tail, read(groups));
      return groups !== undefined;
    });
  while (tryEach());
  return tail;
}

const suffixOf = ({ mean, list, count }: Groups): Suffix => ({
  over: mean === undefined ? 'worst' : 'mean',
  ...(list !== undefined && { seeds: seedsIn(list) }),
  ...(count !== undefined && { seedCount: seedWords[count.toLowerCase()] ?? Number(count) }),
});

const tailPatterns: readonly { readonly pattern: RegExp; readonly read: (of: Groups) => Tail }[] = [
  { pattern: over, read: (groups) => ({ suffix: suffixOf(groups) }) },
  { pattern: rule, read: ({ best }) => ({ rule: best === undefined ? 'last' : 'best' }) },
  { pattern: anyRun, read: () => ({ isAny: true }) },
  {
    pattern: ranking,
    read: ({ metric = '', lower }) => ({
      ranked: { metric, direction: lower === undefined ? 'higher' : 'lower' },
    }),
  },
];

function conditionAt(cursor: Cursor): Condition | undefined {
  const { metric = '', sign = '', ...rest } = cursor.take(bound) ?? {};
  const comparator = wordingOf(sign);
  if (!isName(metric) || !isComparator(comparator)) return undefined;
  if (/^\p{L}/u.test(sign) && !isUsual(metric, comparator)) return undefined;
  const { number: digits = '', unit, percent, relative } = rest;
  const factor = unit === undefined ? 1 : (amountFactors[unit.toLowerCase()] ?? 1);
  const condition: Condition = {
    metric,
    comparator,
    value: Number(digits.replace(/^([-+]?0),/, '$1.').replaceAll(',', '')) * factor,
    ...(percent !== undefined && { isPercent: true }),
    ...(relative !== undefined && { isRelative: true }),
  };
  return unit === undefined || isLimit(condition) ? condition : undefined;
}

const isComparator = (wording: Wording): wording is Comparator => /^[<>]/.test(wording);

/** Returns whether words certainly state the bound: a limit, or a number in the better direction. */
function isUsual(metric: string, comparator: Comparator): boolean {
  const direction = directionOf(metric);
  const isLower = isLowerBetter(comparator);
  return direction === 'none'
    ? isLower && isLimit({ metric, comparator, value: 0 })
    : (direction === 'lower') === isLower;
}

/** Returns whether the whole text is the name of a metric, and no prose that ends with one. */
function isName(text: string): boolean {
  if (text === '') return false;
  if (!/\s/.test(text)) return !outside.test(text);
  const [phrase] = metricPhrases(text);
  const isPhrase = phrase?.start === 0 && phrase.end === text.length;
  return isPhrase || /^(?:trainable|learnable|total|model) (?:parameters|params)$/iu.test(text);
}

/**
 * Returns the conditions over the runs that are said after them. Conditions without own runs are
 * over those that are said next or, after the last, those said before. Limits are over no runs.
 */
function withSharedRuns(parts: readonly Part[]): Condition[] {
  return parts.map(({ condition, suffix, isAny }, index) => {
    if (suffix !== undefined) return { ...condition, ...suffix };
    if (isAny || isLimit(condition)) return condition;
    const isStated = (one: Part): boolean => one.suffix !== undefined;
    const next = parts.slice(index).find(isStated) ?? parts.slice(0, index).findLast(isStated);
    return { ...condition, ...next?.suffix };
  });
}
