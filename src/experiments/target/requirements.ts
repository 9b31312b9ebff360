/**
 * Requirements of a goal besides its target: files that stay unchanged, checks that pass, and limits
 * on launches. As for targets, uncertain requirements are left out.
 */
import { isSameMetric } from '../../metrics/metricName.ts';
import { metricPhrases } from './metricPhrase.ts';
import { launchLimitTexts, type LaunchLimits } from './launchLimits.ts';
import { isStatedBy } from './statedNumbers.ts';
import { objectivesOf, type Target } from './target.ts';
import { readableGoal } from './wordings.ts';

export interface Requirements extends LaunchLimits {
  /** Files that must not change. */
  readonly unchanged: readonly UnchangedFile[];
  /**
   * Checks that must succeed, as the goal names them: `check.py`, `pytest`, `make test`, `tests`.
   */
  readonly checks: readonly string[];
  /** Other things that must not change, and that nothing compares: `the split`. Default: none. */
  readonly unread?: readonly string[];
  /** Other demands in the words of the goal that nothing checks: `use only numpy`. Default: none. */
  readonly unchecked?: readonly string[];
}

export interface UnchangedFile {
  /** Path as the goal names it, relative to the session's working folder. */
  readonly path: string;
  /** SHA-256 of its content when the session started, in hexadecimal digits. */
  readonly sha256: string;
}

/** Names in a goal, before the files are read. */
export interface NamedRequirements {
  readonly unchanged: readonly string[];
  readonly unread: readonly string[];
  readonly checks: readonly string[];
}

const file = String.raw`(?:(?:the|die|das|der)\s+)?(?:(?:files?|scripts?|datei|dateien|skripte?)\s+)?(?<![\w./-])["'\x60]?[\w./-]+\.[a-z]\w{0,7}(?![\w/]|\.\w|'s)["'\x60]?`;
const change = String.raw`(?:chang|modify|modif|touch|edit|alter|rewrit|adapt)(?:e|ing|y|ying|ed|ied)?`;
const ändern = String.raw`(?:zu\s+)?(?:ändern|verändern|anzufassen|anfassen|bearbeiten|anzurühren|anrühren)`;
const same = String.raw`(?:alone|as\s+(?:it\s+is|they\s+are|is)|unchanged|untouched|unmodified|the\s+same|unverändert|in\s+ruhe|so,?\s+wie\s+(?:es|sie|er)\s+ist)`;

const article = String.raw`(?:the|its|their|our|my|any|this|that|these|those|die|der|das|den|dem|deren|seine?n?|ihren?)(?!\p{L})`;
const conjunctions = String.raw`and|und|or|nor|oder|noch|sowie|as\s+well\s+as|&`;
const preposition =
  'in|of|on|at|for|from|to|with|without|while|until|when|because|so|as|von|aus|für|mit|zu|bis|wie';
const modal =
  'is|are|was|may|can|must|should|has|have|will|shall|needs?|does|ist|sind|darf|dürfen|kann|können|muss|müssen|soll|sollen';
const otherWords =
  'i|you|we|they|it|ich|du|wir|sie|es|else|but|only|just|not|aber|nur|nicht|please|bitte|well|anything';
// A word of a file name is no word of a noun phrase.
const word = String.raw`(?!(?:${conjunctions}|${article}|${preposition}|${modal}|${otherWords})(?!\p{L}))[*_]?(?:\p{L}[\p{L}\d_-]*(?:'s)?|\d+)[*_]?(?![\p{L}\d_/'-]|\.\w)`;
const inWhat = String.raw`(?:\s+(?:(?:of|in|from|von|aus)\s+(?:${article}\s+)?|(?:der|des)\s+)(?:[\w./-]+\.[a-z]\w{0,7}(?![\w/])|${word}))?`;
/** A noun phrase with an article: `the test split`, `den Split in data.py`. */
const noun = String.raw`(?:(?:everything|anything)\s+else|alles\s+andere|(?<![\w./-])[\w./-]+\/(?![\w*])|${article}(?:\s+${word}){1,3}${inWhat})`;
/** The same without an article: `data splits`. */
const bareNoun = String.raw`${word}(?:\s+${word}){0,2}`;

/** Returns a pattern of a list: `first`, then each of `more` after a comma or conjunction. */
// The bound prevents quadratic time: without it, a list would be searched again from each of its
// names.
const list = (first: string, more: string): string =>
  String.raw`(?:(?:both|either|neither|weder|sowohl)\s+)?(?<files>(?:${first})(?:(?:\s*,\s*(?:(?:${conjunctions})\s+)?|\s+(?:${conjunctions})\s+)(?:${more})){0,15})`;

/** A list between two words of a requirement. */
const between = list(`${file}|${noun}|${bareNoun}`, `${file}|${noun}|${bareNoun}`);

// After a negated verb, a list ends where the sentence goes on. A new clause begins with its own
// subject, and with a verb after it.
const listEnd = String.raw`(?=\s*(?:[.,;:!?)]|$)|\s+(?:${conjunctions}|${preposition}|please|bitte)(?!\p{L}))`;
const fileAtEnd = String.raw`${file}(?!\s+(?:${modal})(?!\p{L}))`;
const nounAtEnd = String.raw`${noun}${listEnd}`;
const after = list(
  `${fileAtEnd}|${nounAtEnd}`,
  String.raw`${fileAtEnd}|${nounAtEnd}|(?<=(?:or|nor|noch)\s)${bareNoun}${listEnd}`,
);

// Before its verb, a list with nouns must begin its sentence: in "Run train.py and the split must
// stay unchanged", the file belongs to another verb.
const clauseStart = String.raw`(?<=^\s*|[.;:!?]\s+|\n\s*|(?:but|while|that|aber|wobei|dass|please|bitte),?\s+)`;
const before = String.raw`(?:${clauseStart}${list(`${file}|${noun}`, `${file}|${noun}|${bareNoun}`)}|${list(file, file).replace('<files>', '<only>')})`;

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns the groups of each place in a text where a pattern matches. */
type Phrase = (text: string) => readonly Groups[];

/**
 * Returns the phrase of `before`, `words` and `after`. V8 takes up to 0.1 s for such a pattern,
 * which is made only for a text with the words.
 */
const phrase = (before: string, words: string, after = ''): Phrase => {
  const isPossible = new RegExp(words, 'iu');
  let pattern: RegExp | undefined;
  return (text) => {
    if (!isPossible.test(text)) return [];
    pattern ??= new RegExp(`${before}(?:${words})${after}`, 'giu');
    return [...text.matchAll(pattern)].map(({ groups = {} }) => groups);
  };
};

const unchangedWords: readonly Phrase[] = [
  phrase(String.raw`\b(?:leave|keep|lasse?|halte)\s+${between}\s+`, same),
  phrase(
    String.raw`(?:\b(?:not|never|without|cannot|must\s+not|may\s+not)|n't)\s+(?:(?!only|just)\w+\s+)?`,
    change,
    String.raw`\s+(?:anything\s+in\s+|any\s+of\s+)?${after}`,
  ),
  phrase(
    String.raw`${before}\s+(?:must|should|has\s+to|have\s+to|is\s+to|may|can|needs?\s+to|shall)(?:n't|not)?(?:\s+not|\s+never)?\s+(?:stay|remain|be\s+left|be\s+kept)\s+`,
    same,
  ),
  phrase(
    String.raw`${before}\s+(?:(?:must|may|can|should|is|are)(?:\s+(?:not|never)|n't|not)(?:\s+to)?\s+be|stays?|remains?)\s+`,
    `${change}|${same}`,
  ),
  phrase(String.raw`\bohne\s+${between}\s+`, ändern),
  phrase(
    String.raw`(?<!\p{L})`,
    '(?:ver)?ändere?',
    String.raw`\s+${between}\s+(?:bitte\s+)?(?:nicht|nie)(?!\p{L})`,
  ),
  phrase(String.raw`(?<!\p{L})`, '(?:ver)?ändere?', String.raw`\s+(?=weder\s)${after}`),
  phrase(
    String.raw`\b(?:fasse?|rühre?)\s+${between}\s+(?:bitte\s+)?`,
    String.raw`(?:nicht|nie)\s+an(?!\p{L})`,
  ),
  phrase(String.raw`${before}\s+(?:bitte\s+)?(?:nicht|nie)\s+`, ändern),
  phrase(
    String.raw`${before}\s+(?:darf|dürfen|soll|sollen|wird|werden)\s+(?:nicht|nie)\s+`,
    String.raw`(?:ge|ver)ändert\s+werden`,
  ),
  phrase(
    String.raw`${before}\s+(?:bleibt|bleiben|muss|müssen|soll|sollen)\s+`,
    same,
    String.raw`(?:\s+bleiben)?`,
  ),
];

const program = String.raw`(?<program>pytest|make\s+\w+|npm\s+test|(?:all\s+|the\s+|die\s+|alle\s+)*(?:unit\s+)?tests|${file})`;
const checkWords: readonly Phrase[] = [
  phrase(
    String.raw`${program}\s+(?:must|should|has\s+to|have\s+to|needs?\s+to|shall|still|always)(?:\s+(?:still|always|all|continue\s+to))*\s+`,
    String.raw`pass|succeed|be\s+green|stay\s+green|keep\s+passing|run\s+through`,
  ),
  phrase(
    String.raw`\b(?:make|while|so\s+that|until|that|and|but|with|keep|let)\s+${program}\s+(?:still\s+)?`,
    String.raw`(?:pass(?:es|ing)?|green|succeeds?)\b`,
  ),
  phrase(
    String.raw`${program}\s+(?:muss|müssen|soll|sollen)\s+(?:weiterhin\s+|weiter\s+|immer\s+|noch\s+|auch\s+)*`,
    String.raw`durchlaufen|bestehen|grün\s+(?:sein|bleiben)|erfolgreich\s+sein`,
  ),
];

/** Returns the files and checks that the goal names. */
export function namedRequirements(goal: string): NamedRequirements {
  const text = readableGoal(goal);
  const found = (phrases: readonly Phrase[]): Groups[] => phrases.flatMap((one) => one(text));
  const lists = found(unchangedWords).map(({ files, only }) => listParts(files ?? only ?? ''));
  // `keep the model as it is` is no requirement about files.
  const read = lists.filter(({ files }) => files.length > 0);
  return {
    unchanged: [...new Set(read.flatMap(({ files }) => files))],
    unread: [...new Set(read.flatMap(({ others }) => others))],
    checks: [...new Set(found(checkWords).map(({ program = '' }) => programName(program)))],
  };
}

const listPart = new RegExp(
  `(?<name>${file})|(?<![\\p{L}\\d_./-])(?<other>${noun}|${bareNoun})`,
  'giu',
);

/** Returns the file names of a list, and its other parts. */
function listParts(text: string): { readonly files: string[]; readonly others: string[] } {
  const parts = [...text.matchAll(listPart)].map(({ groups = {} }): Groups => groups);
  return {
    files: parts.flatMap(({ name = '' }) => fileNames(name)),
    others: parts.flatMap(({ other }) => (other === undefined ? [] : [singleSpaced(other)])),
  };
}

const singleSpaced = (text: string): string => text.replaceAll(/\s+/g, ' ');

const onlyFile = /(?<![\w./-])[\w./-]+\.[a-z]\w{0,7}/giu;

const fileNames = (list: string): string[] =>
  [...list.matchAll(onlyFile)].map(([name]) => name.replace(/^\.\//, ''));

/** Returns the name of a program without articles and quotes. */
function programName(words: string): string {
  const name = fileNames(words)[0];
  if (name !== undefined) return name;
  return /tests$/iu.test(words) ? 'tests' : singleSpaced(words).toLowerCase();
}

const runner =
  /^(?:(?:[\w.-]+=\S* )*(?:timeout \S+ |uv run |poetry run |pixi run )?)(?<words>\S+(?: \S+){0,4})/u;
const runners =
  /^(?:[\w./~-]*\/)?(?:python[\d.]*|bash|sh|node|pytest|make|npm|pnpm|yarn|cargo|go|ctest|tox|nox|Rscript|julia|perl|ruby)$/u;

/**
 * Returns whether the command runs the check: it is one simple command, and the goal names its
 * program or the first script of its interpreter.
 */
export function runsCheck(command: string, check: string): boolean {
  if (/[;&|<>`\n]|\$\(/.test(command)) return false;
  const words = runner.exec(command.trim().replaceAll(/\s+/g, ' '))?.groups?.['words']?.split(' ');
  const [first = '', ...rest] = words ?? [];
  if (check === 'tests')
    return runners.test(first) && words?.some((word) => /test/i.test(word)) === true;
  const isNamed = (word: string): boolean => word === check || word.endsWith(`/${check}`);
  if (isNamed(first)) return true;
  if (!runners.test(first)) return false;
  const [name = '', argument] = check.split(' ');
  if (argument !== undefined) return first.endsWith(name) && rest.includes(argument);
  return rest.some(isNamed);
}

/**
 * Returns an example of a command that runs the check; `undefined` if the command is not certain.
 */
export function exampleCommand(check: string): string | undefined {
  if (check === 'tests') return undefined;
  if (check.endsWith('.py')) return `python3 ${check}`;
  if (check.endsWith('.sh')) return `sh ${check}`;
  return /\.\w+$/.test(check) ? undefined : check;
}

/** Formats requirements that are checked: `bench.py unchanged`, `at most 15 runs`. */
export const requirementTexts = (requirements: Requirements): string[] => [
  ...requirements.unchanged.map(({ path }) => `${path} unchanged`),
  ...requirements.checks.map((check) => (check === 'tests' ? 'tests pass' : `${check} passes`)),
  ...launchLimitTexts(requirements),
];

/**
 * Returns what the goal asks for and nothing checks. A demand whose numbers are all in the target is
 * left out, because the target was stated later; with a target of the user, also a demand on its
 * metrics or on the baseline, because that target replaces it.
 */
export const uncheckedTexts = (
  { unread = [], unchecked = [] }: Pick<Requirements, 'unread' | 'unchecked'>,
  target?: Target,
  targetBy?: 'agent' | 'person',
): string[] => [
  ...unread.map((what) => `${what} unchanged`),
  ...unchecked.filter(
    (text) =>
      target === undefined ||
      !(isStatedBy(target, text) || (targetBy === 'person' && isAboutTarget(target, text))),
  ),
];

/** Returns whether the text demands a number of a metric of the target, or of its baseline. */
function isAboutTarget(target: Target, text: string): boolean {
  if (!/\d/.test(text)) return false;
  if (/(?<!\p{L})baseline/iu.test(text)) return target.conditions.some((one) => one.isRelative);
  const metrics = objectivesOf(target).map(({ metric }) => metric);
  return metricPhrases(text).some(({ metric }) => metrics.some((one) => isSameMetric(one, metric)));
}

/** Formats all requirements for the user, with those that nothing checks. */
export function requirementsForUser(requirements: Requirements): string[] {
  const unchecked = uncheckedTexts(requirements);
  return [
    ...requirementTexts(requirements),
    ...(unchecked.length === 0 ? [] : [`not checked by Helios: ${unchecked.join(', ')}`]),
  ];
}
