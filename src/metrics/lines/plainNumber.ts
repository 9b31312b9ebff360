/**
 * Reads the number of a pair (see `lineFormats.ts`) if it is an ordinary decimal number, with what
 * may follow: a unit, or a total as in `12/1000`.
 */
import {
  afterBlanks,
  afterDigits,
  afterLetters,
  codeAt,
  isBlankAt,
  isControlAt,
  isDigitAt,
  isLetterAt,
  isWordAt,
  lineView,
} from './asciiLine.ts';
import { decimal, readDecimal } from './decimal.ts';

/**
 * Results in place of a position. `noNumber`: there is no number. `unclear`: there may be a number
 * that is not an ordinary one.
 */
export const noNumber = 0;
export const unclear = -1;

/** The number that `readNumberAt` has read. */
export const number = { value: NaN, total: NaN, isMeasured: false };

/** A total with up to this many digits is exact as a floating-point number. */
const maxExactDigits = 15;

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const slash = 0x2f;
const comma = 0x2c;
const colon = 0x3a;
const underscore = 0x5f;
const percent = 0x25;
const zero = 0x30;

/**
 * Reads the number at `start` into `number`, with its unit and its total. Returns the position
 * after them, `noNumber` or `unclear`.
 */
export function readNumberAt(start: number, line: string): number {
  const numberEnd = readDecimal(lineView, line, start);
  if (numberEnd === start) return noNumber;
  const end = afterUnit(numberEnd);
  if (isOddEnd(decimal.digitsEnd, numberEnd, end)) return unclear;
  number.value = decimal.value;
  number.isMeasured = decimal.isMeasured;
  return end;
}

/** Returns whether only the start of the text may be the number, as `1` in `1e+5x` or in `1.x`. */
const isOddEnd = (digitsEnd: number, numberEnd: number, end: number): boolean =>
  numberEnd > digitsEnd
    ? end === noNumber && codeAt(digitsEnd + 1) === plus
    : codeAt(digitsEnd - 1) === point && !isBlankAt(digitsEnd) && !isControlAt(digitsEnd);

function integerIn(start: number, end: number): number {
  let integer = 0;
  for (let at = start; at < end; at++) integer = integer * 10 + codeAt(at) - zero;
  return integer;
}

function afterUnit(at: number): number {
  number.total = NaN;
  if (isLetterAt(at)) return afterUnitLetters(at);
  const code = codeAt(at);
  if (code === underscore || (code === comma && isDigitAt(at + 1))) return unclear;
  const next = afterBlanks(at);
  if (codeAt(next) === slash) return afterTotal(at, next);
  const isPercent = codeAt(next) === percent && next <= at + 1;
  if (isPercent && codeAt(afterBlanks(next + 1)) === slash) return unclear;
  return isContinued(at) ? noNumber : at;
}

/** Returns whether the text goes on at `at` as a version, a date or a time of day. */
function isContinued(at: number): boolean {
  const code = codeAt(at);
  if (code === minus) return isWordAt(at + 1);
  return (code === point || code === comma || code === colon) && isDigitAt(at + 1);
}

function afterTotal(at: number, slashAt: number): number {
  const start = afterBlanks(slashAt + 1);
  if (!isDigitAt(start))
    return slashAt === at && isWordAt(start) && start === at + 1 ? noNumber : at;
  const end = afterDigits(start);
  const isPlain = end - start <= maxExactDigits && !isWordAt(end) && !isContinued(end);
  const code = codeAt(end);
  if (
    !isPlain ||
    code === slash ||
    (code === comma && !isBlankAt(end + 1) && !isControlAt(end + 1))
  )
    return unclear;
  number.total = integerIn(start, end);
  return end;
}

const maxUnitChars = 7;

/**
 * Returns the position after a unit such as `ms`. A lone letter for thousands, such as `k`, is not
 * a unit.
 */
function afterUnitLetters(at: number): number {
  const end = afterLetters(at);
  if (codeAt(afterBlanks(end)) === slash) return unclear;
  const isThousands = end === at + 1 && /[kmgbt]/i.test(String.fromCharCode(codeAt(at)));
  if (isThousands || end - at > maxUnitChars || isWordAt(end) || isContinued(end)) return noNumber;
  return end;
}
