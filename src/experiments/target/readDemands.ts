/**
 * Finds the demands of a goal that Helios neither reads as target nor as requirement: `at most 5
 * epochs`, `use only numpy`, `prefer small models`. They are named, so that none is dropped in
 * silence.
 */
import { withFactors } from './baselineFactors.ts';
import { preferenceInside, preferenceStart, wishForBest } from './readPreferences.ts';
import { readTarget } from './readTarget.ts';
import { namedRequirements, type NamedRequirements } from './requirements.ts';
import { isOpen, type Target } from './target.ts';
import { numberPlaces, type NumberPlace } from './unreadNumbers.ts';
import { comparatorSource, readableGoal, wordingOf } from './wordings.ts';
import { writtenTarget } from './writtenTarget.ts';

const number = String.raw`(?<![\p{L}\d_.,/-])\$?\d+(?:[.,]\d+)*(?:e-?\d+)?(?:\s?(?:k|m|b|thousand|million|billion|tausend|millionen|milliarden)(?!\p{L}))?`;
const countName = String.raw`(?:max\.?\s+|max_)?(?:epochs?|epochen?|steps?|iterations?|layers?)`;
const unit = String.raw`(?:(?:training|optimi[sz]er|gradient|wall-clock)\s+)?(?:(?:trainable\s+|learnable\s+|total\s+|model\s+)?(?:params?|parameters?|parametern?)|epochs?|epochen?|steps?|schritten?|iterations?|iters?|layers?|schichten?|tokens?|[kmgt]i?b|[mµn]?s|secs?|seconds?|sekunden?|mins?|minutes?|minuten?|h|hrs?|hours?|stunden?|days?|tagen?|gpus?|cpus?|cores?|episodes?|episoden?|samples?|examples?|images?|runs?|läufen?|laufs?|trials?|attempts?|dollars?|usd|euros?)`;
const settingName = String.raw`(?:learning[\s_-]rate|lr|batch[\s_-]?size|dropout|weight[\s_-]decay|momentum|hidden[\s_-]size|width|depth|lernrate|batchgröße|batchgrösse|breite|tiefe)`;

const repeats = String.raw`(?:\p{L}+\s+)?(?:seeds?|repeats|repetitions|wiederholungen)(?!\p{L})`;

/** Words of a demand, and where its clause begins. */
interface Marker {
  readonly pattern: RegExp;
  /**
   * - `here`: at the marker
   * - `preposition`: at the last preposition, conjunction or number before it
   * - `clause`: at the last conjunction, punctuation mark or number before it
   */
  readonly begins: 'here' | 'preposition' | 'clause';
  readonly kind: 'amount' | 'setting' | 'relative' | 'rule' | 'preference';
}

const marker = (
  kind: Marker['kind'],
  begins: Marker['begins'],
  source: string | RegExp,
): Marker => ({
  kind,
  begins,
  pattern:
    typeof source === 'string' ? new RegExp(`(?<!\\p{L})(?:${source})(?!\\p{L})`, 'gu') : source,
});

const markers: readonly Marker[] = [
  marker('amount', 'preposition', `(?<number>${number})[\\s-]?${unit}`),
  marker('amount', 'preposition', String.raw`(?:one|single|two|einer?|zwei)\s+[gc]pus?`),
  marker(
    'amount',
    'preposition',
    new RegExp(String.raw`(?<number>(?<![\w.,])\$\d+(?:\.\d+)?)`, 'gu'),
  ),
  marker(
    'amount',
    'preposition',
    `${countName}\\s*(?:${comparatorSource}|:)\\s*(?<number>${number})`,
  ),
  marker(
    'amount',
    'preposition',
    new RegExp(`(?<word>${comparatorSource})\\s*(?<number>${number})(?!\\s*(?:${repeats}))`, 'gu'),
  ),
  marker(
    'setting',
    'preposition',
    `${settingName}(?:\\s+(?!and\\s|und\\s)\\p{L}+){0,3}\\s*(?:[<>=≤≥:]+\\s*)?${number}`,
  ),
  marker(
    'relative',
    'here',
    `halv(?:e|es|ed|ing)|doubl(?:e|es|ing)|twice|halbier\\p{L}*|verdopp\\p{L}*|(?:by|um)\\s+(?:at\\s+least\\s+|mindestens\\s+)?${number}\\s*(?:%|percent|prozent|points?|punkte?n?)?`,
  ),
  marker(
    'rule',
    'here',
    String.raw`without|ohne|(?:using|use|with)\s+only|only\s+(?:use|using|edit|change|modify|touch|tune|train|run)|nothing\s+but|verwende\s+nur|do\s+not|don't|never|avoid|stick\s+to|stay\s+with|respect|obey|follow(?:ing)?\s+the|keep(?!\s+\p{L}+ing)|keeping|lass|halte|niemals|vermeide|ändere\s+nur|nur|(?:no|kein\p{L}{0,2})\s+(?!more|less|higher|lower|worse|larger|smaller|longer|fewer|later|matter|one\b)\p{L}+`,
  ),
  marker(
    'rule',
    'here',
    new RegExp(
      String.raw`(?<!\p{L})leav(?:e|ing)(?=[^.;\n]{0,80}\b(?:alone|as\s+(?:it|they|is)|unchanged|untouched|out))`,
      'gu',
    ),
  ),
  marker(
    'rule',
    'clause',
    String.raw`must(?:n't)?|shall|should(?:n't)?|has\s+to|have\s+to|needs?\s+to|may\s+not|cannot|can't|not\s+allowed|forbidden|only|exclusively|muss|müssen|soll|sollen|darf|dürfen|verboten|ausschließlich|bleib(?:t|en)`,
  ),
  marker('preference', 'here', preferenceStart),
  marker('preference', 'clause', preferenceInside),
];

interface Found {
  readonly kind: Marker['kind'];
  readonly start: number;
  readonly end: number;
}

/** A stretch of a sentence with one demand. */
interface Piece {
  readonly text: string;
  readonly found: readonly Found[];
  readonly numbers: readonly NumberPlace[];
}

const maxNamed = 12;
const maxChars = 100;

/**
 * Returns the demands of the goal that nothing checks, in the words of the goal. `named`: the
 * requirements that were read from the goal.
 */
export function uncheckedDemands(
  goal: string,
  named: NamedRequirements = namedRequirements(goal),
): readonly string[] {
  const text = readableGoal(goal);
  if (writtenTarget(withFactors(text)) !== undefined) return [];
  const read = { target: readTarget(goal), names: namesOf(named) };
  const pieces = sentencesOf(text).flatMap((sentence) => piecesOf(sentence, read.target));
  const texts = pieces.filter((piece) => !isRead(piece, read)).map((piece) => shown(piece.text));
  const demands = [...new Set(texts)].filter((one) => one !== '');
  const more = demands.length - maxNamed;
  return more <= 0 ? demands : [...demands.slice(0, maxNamed), `${more} more`];
}

const namesOf = ({ unchanged, unread, checks }: NamedRequirements): readonly string[] =>
  [...unchanged, ...unread, ...checks].map((name) => name.toLowerCase());

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?;])\s+|;|\n+/);

const reach = 120;
const beforeClause =
  /(?:^|[,:(–—]\s*|(?<!\p{L})(?:and|but|while|then|where|whereas|und|aber|wobei|sowie)\s+(?:dabei\s+)?|(?<![\p{L}\d_])[\d.,]+\s*%?\s+)/gu;
const preposition = /(?<!\p{L})(?:in|within|on|with|using|by|for|auf|mit|innerhalb|bei)\s/gu;
/** Words after which a sentence goes on with the target. */
const nextClause =
  /,?\s+(?:and|but|then|while|und|aber|dann)\s+(?=(?:edit|tune|reach|get|bring|raise|lower|improve|find|train|push|halve|make|write|try|stop|erreiche|bringe|senke|steigere|finde)(?![\p{L}.]))/u;
const endOfAmount = /[,)]\s|\s(?:and|but|while|und|aber)\s/u;

function piecesOf(whole: string, target: Target | undefined): Piece[] {
  // Expressions that ignore case take long to compile.
  const lower = whole.toLowerCase();
  const sentence = lower.length === whole.length ? lower : whole;
  const numbers = numberPlaces(sentence, target);
  const found = [
    ...markers.flatMap((one) => foundIn(sentence, one)),
    ...numbers.flatMap((one) => (one.isRead ? [] : foundNumber(sentence, one))),
  ].toSorted((a, b) => a.start - b.start || a.end - b.end);
  const groups: Found[][] = [];
  for (const one of found) {
    const last = groups.at(-1);
    const isSame = last !== undefined && isSameClause(sentence, last, one);
    if (isSame) last.push(one);
    else groups.push([one]);
  }
  return groups.map((group, index) => {
    const [first] = group;
    const next = groups[index + 1]?.[0]?.start ?? sentence.length;
    const start = first?.start ?? 0;
    const end = endOf(sentence, group, next);
    const inside = numbers.filter((number) => number.start >= start && number.start < end);
    return { text: whole.slice(start, end), found: group, numbers: inside };
  });
}

/** Returns whether the marker belongs to the clause of the markers before it. */
function isSameClause(sentence: string, group: readonly Found[], { start }: Found): boolean {
  const end = Math.max(...group.map((one) => one.end));
  if (start < end) return true;
  const gap = sentence.slice(end, start);
  const isOne = !/[,:]|(?<!\p{L})(?:and|but|while|und|aber)(?!\p{L})/iu.test(gap);
  return isOne && group.some(({ kind }) => kind === 'preference' || kind === 'rule');
}

/** Returns the end of the piece, which is at most `next`. */
function endOf(sentence: string, group: readonly Found[], next: number): number {
  const end = Math.max(...group.map((one) => one.end));
  const tail = sentence.slice(end, Math.max(end, next)).slice(0, reach);
  const isAmount = group.every(({ kind }) => kind === 'amount' || kind === 'setting');
  const stop = (isAmount ? endOfAmount : nextClause).exec(tail)?.index ?? tail.length;
  return end + stop;
}

function foundIn(sentence: string, { pattern, begins, kind }: Marker): Found[] {
  return [...sentence.matchAll(pattern)].flatMap((match): Found[] => {
    const { word } = match.groups ?? {};
    if (word !== undefined && wordingOf(word) === 'reach') return [];
    const start = begins === 'here' ? match.index : startOf(sentence, match.index, begins);
    return [{ kind, start, end: match.index + match[0].length }];
  });
}

const foundNumber = (sentence: string, { start, end }: NumberPlace): Found => ({
  kind: 'amount',
  start: startOf(sentence, start, 'preposition'),
  end,
});

function startOf(sentence: string, at: number, begins: 'clause' | 'preposition'): number {
  const from = Math.max(0, at - reach);
  const before = sentence.slice(from, at);
  const clause = lastEnd(before, beforeClause);
  if (begins === 'clause') return from + clause;
  const inner = [...before.slice(clause).matchAll(preposition)].at(-1)?.index ?? 0;
  return from + clause + inner;
}

/** Returns the position after the last match, at most the length of the text. */
function lastEnd(text: string, pattern: RegExp): number {
  const last = [...text.matchAll(pattern)].at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

interface Read {
  readonly target: Target | undefined;
  readonly names: readonly string[];
}

function isRead({ text, found, numbers }: Piece, { target, names }: Read): boolean {
  if (numbers.some((one) => !one.isRead)) return false;
  const lower = text.toLowerCase();
  if (numbers.length > 0 || names.some((name) => lower.includes(name))) return true;
  if (target === undefined) return false;
  if (found.every(({ kind }) => kind === 'relative'))
    return target.conditions.some(({ isRelative }) => isRelative);
  return isOpen(target) && found.some((one) => isWish(text, one, target));
}

/** Returns whether a preference only asks for the best value of the objective. */
const isWish = (text: string, { kind }: Found, { objective }: Target): boolean =>
  kind === 'preference' &&
  (wishForBest.test(text) || text.toLowerCase().includes(objective.metric.toLowerCase()));

const shown = (text: string): string => {
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s,:(]+/u, '')
    .replace(/(?:[\s,;:.!?]|\s(?:and|but|while|with|und|aber|mit))+$/iu, '');
  return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars - 1)}…`;
};
