/**
 * Removes here-documents from a text before the grammar reads it: tree-sitter-bash handles only the
 * simplest ones. Each is replaced by an input redirection, so that the tree shows whether a shell
 * would see a here-document there.
 */
import { must, NotUnderstood } from './notUnderstood.ts';

export interface Heredoc {
  readonly text: string;
  /** True if the shell expands nothing in the here-document. */
  readonly isLiteral: boolean;
  /** False if the text ends before the here-document does. */
  readonly isEnded: boolean;
}

/** Offset of a possible here-document sign, `<<`, and of the end of its line. */
export interface Sign {
  readonly at: number;
  readonly lineEnd: number;
}

/**
 * A text without the lines of its here-documents, and the here-documents by the offset of their
 * sign.
 */
export interface TakenOut {
  readonly text: string;
  readonly heredocs: ReadonlyMap<number, Heredoc>;
  /** All `<<` signs, including signs that are not here-documents. */
  readonly signs: readonly Sign[];
}

const maxSigns = 100;
const sign =
  /(?<![<\\])<<(?!<)(-?)[ \t]*(?:'([^'\n]*)'|"([^"\\$`\n]*)"|(\\?)([\w.+-]+))(?=[\s;&|()<>]|$)/g;

/**
 * Removes the here-documents. `not` holds the indices of signs that turned out to be something
 * else, such as quoted text.
 */
export function takeOutHeredocs(original: string, not: ReadonlySet<number>): TakenOut {
  const heredocs = new Map<number, Heredoc>();
  const signs: Sign[] = [];
  const pattern = new RegExp(sign);
  let text = original;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const from = lineBelow(text, pattern.lastIndex);
    must(signs.length < maxSigns);
    signs.push({ at: found.index, lineEnd: from - 1 });
    if (not.has(signs.length - 1)) continue;
    const [whole, dash = '', single, double, backslash, bare] = found;
    const isLiteral = single !== undefined || double !== undefined || backslash === '\\';
    const end = { word: single ?? double ?? bare ?? '', isIndented: dash === '-', isLiteral };
    const { length, lines, isEnded } = bodyOf(text.slice(from), end);
    heredocs.set(found.index, { text: lines, isLiteral, isEnded });
    const place = whole.replace(/^<<-?/, (all) => '<'.padEnd(all.length));
    text =
      text.slice(0, found.index) +
      place +
      text.slice(pattern.lastIndex, from) +
      text.slice(from + length);
  }
  return { text, heredocs, signs };
}

/** Returns the offset after the end of the line that contains `at`, including continued lines. */
function lineBelow(text: string, at: number): number {
  const rest = /^(?:[^\\\n]|\\[^])*(?:\n|$)/.exec(text.slice(at))?.[0];
  if (rest === undefined) throw new NotUnderstood();
  return at + rest.length;
}

interface End {
  readonly word: string;
  /** True for `<<-`, which ignores leading tabs. */
  readonly isIndented: boolean;
  readonly isLiteral: boolean;
}

function bodyOf(
  rest: string,
  { word, isIndented, isLiteral }: End,
): { readonly length: number; readonly lines: string; readonly isEnded: boolean } {
  let continued: string | undefined;
  for (let at = 0; at < rest.length;) {
    const newLine = rest.indexOf('\n', at);
    const next = newLine < 0 ? rest.length : newLine + 1;
    const written = rest.slice(at, newLine < 0 ? undefined : newLine);
    const line = isIndented ? written.replace(/^\t+/, '') : written;
    // If the shell expands the text, it also joins continued lines, and two joined lines may form
    // the end word.
    must(continued === undefined || (line !== word && continued + line !== word));
    if (line === word) return { length: next, lines: rest.slice(0, at), isEnded: true };
    const goesOn = !isLiteral && /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    continued = goesOn ? (continued ?? '') + line.slice(0, -1) : undefined;
    at = next;
  }
  return { length: rest.length, lines: rest, isEnded: false };
}

const openings = /\\[^]|\$\(|\$\{|\$\[|`/g;
const maxTries = 100;

/**
 * Returns the source text of each expansion in a text, except variables. `isWhole` returns true for
 * a text that is exactly one expansion.
 */
export function expansionsIn(text: string, isWhole: (text: string) => boolean): readonly string[] {
  const found: string[] = [];
  const pattern = new RegExp(openings);
  let tries = 0;
  for (let opening = pattern.exec(text); opening !== null; opening = pattern.exec(text)) {
    const [opener] = opening;
    if (opener.startsWith('\\')) continue;
    const close = opener === '`' ? '`' : opener === '$(' ? ')' : opener === '${' ? '}' : ']';
    let end = opening.index + opener.length - 1;
    let whole: string;
    do {
      end = text.indexOf(close, end + 1);
      must(end >= 0 && ++tries <= maxTries);
      whole = text.slice(opening.index, end + 1);
    } while (!isWhole(whole));
    found.push(whole);
    pattern.lastIndex = end + 1;
  }
  return found;
}
