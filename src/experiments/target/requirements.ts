/**
 * Requirements of a goal besides numbers: files that stay unchanged, and checks that pass. As for
 * targets, uncertain requirements are left out.
 */
import { readableGoal } from './wordings.ts';

export interface Requirements {
  /** Files that must not change. */
  readonly unchanged: readonly UnchangedFile[];
  /**
   * Checks that must succeed, as the goal names them: `check.py`, `pytest`, `make test`, `tests`.
   */
  readonly checks: readonly string[];
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
  readonly checks: readonly string[];
}

const file = String.raw`(?:the\s+(?:file|script)\s+|die\s+datei\s+|das\s+skript\s+)?(?<![\w./-])["'\x60]?[\w./-]+\.[a-z]\w{0,7}(?![\w/]|'s)["'\x60]?`;
// The bound prevents quadratic time: without it, a list would be searched again from each of its
// names.
const files = String.raw`(?<files>${file}(?:(?:\s*,\s*(?:and\s+|und\s+|or\s+|oder\s+)?|\s+(?:and|und|or|nor|oder|noch)\s+)${file}){0,15})`;
const change = String.raw`(?:chang|modify|modif|touch|edit|alter|rewrit|adapt)(?:e|ing|y|ying|ed|ied)?`;
const ändern = String.raw`(?:zu\s+)?(?:ändern|verändern|anzufassen|anfassen|bearbeiten|anzurühren|anrühren)`;
const same = String.raw`(?:alone|as\s+(?:it\s+is|they\s+are|is)|unchanged|untouched|unmodified|the\s+same|unverändert|in\s+ruhe|so,?\s+wie\s+(?:es|sie|er)\s+ist)`;

const unchangedWords: readonly RegExp[] = [
  new RegExp(String.raw`\b(?:leave|keep|lasse?|halte)\s+${files}\s+${same}`, 'giu'),
  new RegExp(
    String.raw`(?:\b(?:not|never|without|cannot|must\s+not|may\s+not)|n't)\s+(?:(?!only|just)\w+\s+)?${change}\s+(?:anything\s+in\s+|any\s+of\s+)?${files}`,
    'giu',
  ),
  new RegExp(
    String.raw`${files}\s+(?:must|should|has\s+to|have\s+to|is\s+to|may|can|needs?\s+to|shall)(?:n't|not)?(?:\s+not|\s+never)?\s+(?:stay|remain|be\s+left|be\s+kept)\s+${same}`,
    'giu',
  ),
  new RegExp(
    String.raw`${files}\s+(?:(?:must|may|can|should|is|are)(?:\s+(?:not|never)|n't|not)(?:\s+to)?\s+be|stays?|remains?)\s+(?:${change}|${same})`,
    'giu',
  ),
  new RegExp(String.raw`\bohne\s+${files}\s+${ändern}`, 'giu'),
  new RegExp(String.raw`${files}\s+(?:bitte\s+)?(?:nicht|nie)\s+${ändern}`, 'giu'),
  new RegExp(
    String.raw`${files}\s+(?:darf|dürfen|soll|sollen|wird|werden)\s+(?:nicht|nie)\s+(?:ge|ver)ändert\s+werden`,
    'giu',
  ),
  new RegExp(
    String.raw`${files}\s+(?:bleibt|bleiben|muss|müssen|soll|sollen)\s+${same}(?:\s+bleiben)?`,
    'giu',
  ),
];

const program = String.raw`(?<program>pytest|make\s+\w+|npm\s+test|(?:all\s+|the\s+|die\s+|alle\s+)*(?:unit\s+)?tests|${file})`;
const checkWords: readonly RegExp[] = [
  new RegExp(
    String.raw`${program}\s+(?:must|should|has\s+to|have\s+to|needs?\s+to|shall|still|always)(?:\s+(?:still|always|all|continue\s+to))*\s+(?:pass|succeed|be\s+green|stay\s+green|keep\s+passing|run\s+through)`,
    'giu',
  ),
  new RegExp(
    String.raw`\b(?:make|while|so\s+that|until|that|and|but|with|keep|let)\s+${program}\s+(?:still\s+)?(?:pass(?:es|ing)?|green|succeeds?)\b`,
    'giu',
  ),
  new RegExp(
    String.raw`${program}\s+(?:muss|müssen|soll|sollen)\s+(?:weiterhin\s+|immer\s+|noch\s+)*(?:durchlaufen|bestehen|grün\s+(?:sein|bleiben)|erfolgreich\s+sein)`,
    'giu',
  ),
];

/** Returns the files and checks that the goal names. */
export function namedRequirements(goal: string): NamedRequirements {
  const text = readableGoal(goal);
  const named = (patterns: readonly RegExp[], group: string): string[] =>
    patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ groups }) => groups?.[group] ?? ''),
    );
  const unchanged = named(unchangedWords, 'files').flatMap(fileNames);
  const checks = named(checkWords, 'program').map(programName);
  return { unchanged: [...new Set(unchanged)], checks: [...new Set(checks)] };
}

const onlyFile = /(?<![\w./-])[\w./-]+\.[a-z]\w{0,7}/giu;

const fileNames = (list: string): string[] =>
  [...list.matchAll(onlyFile)].map(([name]) => name.replace(/^\.\//, ''));

/** Returns the name of a program without articles and quotes. */
function programName(words: string): string {
  const name = fileNames(words)[0];
  if (name !== undefined) return name;
  return /tests$/iu.test(words) ? 'tests' : words.replaceAll(/\s+/g, ' ').toLowerCase();
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

/** Formats requirements: `bench.py unchanged`, `check.py passes`. */
export const requirementTexts = ({ unchanged, checks }: Requirements): string[] => [
  ...unchanged.map(({ path }) => `${path} unchanged`),
  ...checks.map((check) => (check === 'tests' ? 'tests pass' : `${check} passes`)),
];
