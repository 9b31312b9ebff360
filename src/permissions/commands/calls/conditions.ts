/** Judges the conditions `[`, `test` and `[[`. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { judgeRead } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { plainVariable } from '../values/plainVariables.ts';
import { isNumber, isPrintable } from '../values/possibleTexts.ts';
import { asks, safe, strictest, type Verdict } from '../verdicts/verdict.ts';

const ofFile = /^-[abcdefghkprsuwxGLNOS]$/;
const ofText = /^-[nz]$/;
const comparesTexts = /^(?:=|==|!=)$/;
const comparesNumbers = /^-(?:eq|ne|lt|le|gt|ge)$/;
const comparesFiles = /^-(?:nt|ot|ef)$/;
const joins = /^(?:-a|-o|&&|\|\||!|\(|\))$/;

export const isCondition = (program: string): boolean => /^(?:\[\[?|test)$/.test(program);

export function judgeCondition(words: readonly ShellWord[], spot: Spot): Verdict {
  const [first, ...rest] = words;
  const isDouble = first?.text === '[[';
  const end = { '[': ']', '[[': ']]' }[first?.text ?? ''];
  if (end !== undefined && rest.at(-1)?.text !== end)
    return asks('is a condition that is not understood', spot.part);
  const terms = end === undefined ? rest : rest.slice(0, -1);
  const verdicts: Verdict[] = [];
  for (let at = 0; at < terms.length;) {
    const [word, operator, other] = terms.slice(at, at + 3);
    if (word === undefined) break;
    const term = judgeTerm({ word, operator, other, isDouble }, spot);
    verdicts.push(term.verdict);
    at += term.length;
    if (term.length === 1 && !isSign(word) && !standsAlone(terms, at - 1))
      verdicts.push(asks('is a condition whose operator only the shell knows', spot.part));
  }
  return strictest(verdicts);
}

const isSign = ({ text: sign, isDynamic }: ShellWord): boolean => !isDynamic && joins.test(sign);

/**
 * Returns true for a term of one word. Next to another word, the value of a variable may be an
 * operator such as `-v`, which runs what is in the name of its variable.
 */
const standsAlone = (terms: readonly ShellWord[], at: number): boolean =>
  [terms[at - 1], terms[at + 1]].every((word) => word === undefined || isSign(word));

interface Term {
  readonly word: ShellWord;
  readonly operator: ShellWord | undefined;
  readonly other: ShellWord | undefined;
  readonly isDouble: boolean;
}

interface TermVerdict {
  readonly verdict: Verdict;
  /** Number of words. */
  readonly length: number;
}

function judgeTerm(term: Term, spot: Spot): TermVerdict {
  const comparison = judgeComparison(term, spot);
  if (comparison !== undefined) return { verdict: comparison, length: 3 };
  const { word, operator } = term;
  if (word.isDynamic) return { verdict: text(word, spot), length: 1 };
  if (operator !== undefined && ofFile.test(word.text))
    return { verdict: file(operator, spot), length: 2 };
  if (operator !== undefined && ofText.test(word.text))
    return { verdict: text(operator, spot), length: 2 };
  return { verdict: judgeSign(term, spot), length: 1 };
}

/** Judges `A = B` and the like; `undefined` for other terms. */
function judgeComparison(
  { word, operator, other, isDouble }: Term,
  spot: Spot,
): Verdict | undefined {
  const sign = operator?.isDynamic === false ? operator.text : '';
  if (sign === '=~' && isDouble) return judgeMatch(word, other, spot);
  if (/^(?:[<>]|=~)$/.test(sign)) return asks(`${sign} in a condition is not judged`, spot.part);
  if (other === undefined) return undefined;
  if (comparesTexts.test(sign))
    return strictest([text(word, spot), pattern(other, isDouble, spot)]);
  const both = [word, other];
  if (comparesNumbers.test(sign)) return numbers(both, spot);
  return comparesFiles.test(sign) ? strictest(both.map((each) => file(each, spot))) : undefined;
}

/** Judges `A =~ B`. */
const judgeMatch = (word: ShellWord, other: ShellWord | undefined, spot: Spot): Verdict =>
  strictest([text(word, spot), ...(other ? [regex(other, spot)] : [])]);

function judgeSign({ word: { text: sign }, isDouble }: Term, { part, place }: Spot): Verdict {
  // A shell that knows no `[[` would run the words after `||`, unless `asArgumentLists` writes two
  // conditions for them.
  const unclear = place.consent === undefined ? /^[()]$/ : /^(?:\|\||\(|\))$/;
  const isKnown = joins.test(sign) ? !isDouble || !unclear.test(sign) : !sign.startsWith('-');
  return isKnown ? safe : asks(`${sign} in a condition is not judged`, part);
}

const file = (word: ShellWord, spot: Spot): Verdict => judgeRead(word, spot, 'names');

const text = (word: ShellWord, { part }: Spot): Verdict =>
  !word.isDynamic || isPrintable(word) || plainVariable(word) !== undefined
    ? safe
    : asks('has a part that only the shell knows', part);

/** Judges the right side of `=`, which is a pattern in `[[`; in `[`, a pattern of file names. */
const pattern = (word: ShellWord, isDouble: boolean, spot: Spot): Verdict =>
  isDouble && word.isDynamic && word.parts === undefined && /^[\w.*?/-]+$/.test(word.text)
    ? safe
    : text(word, spot);

const regexParts =
  /\\[ \w.+*?^$|()[\]{}/-]|\[\^?(?:\[:[a-z]+:\]|[\w.,+*%:/^-])+\]|\{\d+,?\d*\}|\$(?![\w({'"])|(?<=[\w^.*+?)\]])#|[\w.*+?^:,/@%=()|-]/g;

/**
 * Returns true for a regular expression that may be written without quotes: a shell that knows no
 * `[[` runs nothing in it. In brackets, a `|` is an error for such a shell; else it begins a command.
 */
export function isPlainRegex(expression: string): boolean {
  let depth = 0;
  for (const part of expression.match(regexParts) ?? []) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (depth < 0 || (part === '|' && depth === 0)) return false;
  }
  return depth === 0 && expression.replace(regexParts, '') === '';
}

const regex = (word: ShellWord, spot: Spot): Verdict =>
  word.isDynamic && word.parts === undefined && isPlainRegex(word.text) ? safe : text(word, spot);

/** Asks about what is no number: some shells calculate, and so also run what is in a value. */
const numbers = (words: readonly ShellWord[], { part }: Spot): Verdict =>
  words.every(isNumber) ? safe : asks('calculates with a value that may be no number', part);
