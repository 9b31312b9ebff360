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
} from './asciiLine.ts';

/**
 * Results in place of a position. `noNumber`: there is no number. `unclear`: there may be a number
 * that is not an ordinary one.
 */
export const noNumber = 0;
export const unclear = -1;

/** The number that `readNumberAt` has read. */
export const number = { value: NaN, total: NaN, isMeasured: false };

/**
 * Integers with up to this many digits, and the powers of ten below, are exact as floating-point
 * numbers, so their quotient is rounded only once.
 */
const maxExactDigits = 15;
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const slash = 0x2f;
const comma = 0x2c;
const colon = 0x3a;
const underscore = 0x5f;
const percent = 0x25;
const zero = 0x30;
const isSign = (code: number): boolean => code === minus || code === plus;

/**
 * Reads the number at `start` into `number`, with its unit and its total. Returns the position
 * after them, `noNumber` or `unclear`.
 */
export function readNumberAt(start: number, line: string): number {
  const digitsAt = isSign(codeAt(start)) ? start + 1 : start;
  let mantissa = 0;
  let at = digitsAt;
  for (; isDigitAt(at); at++) mantissa = mantissa * 10 + codeAt(at) - zero;
  const pointAt = at;
  if (codeAt(at) === point)
    for (at++; isDigitAt(at); at++) mantissa = mantissa * 10 + codeAt(at) - zero;
  const decimals = at === pointAt ? 0 : at - pointAt - 1;
  const digits = pointAt - digitsAt + decimals;
  if (digits === 0) return noNumber;
  const numberEnd = afterExponent(at);
  const end = afterUnit(numberEnd);
  if (isOddEnd(at, numberEnd, end)) return unclear;
  if (end === noNumber || end === unclear) return end;
  const scale = decimals - exponentIn(at, numberEnd);
  number.isMeasured = numberEnd > pointAt;
  number.value =
    digits > maxExactDigits || Math.abs(scale) >= powers.length
      ? Number(line.slice(start, numberEnd))
      : signed(codeAt(start), scaled(mantissa, scale));
  return end;
}

/** Returns whether only the start of the text may be the number, as `1` in `1e+5x` or in `1.x`. */
const isOddEnd = (digitsEnd: number, numberEnd: number, end: number): boolean =>
  numberEnd > digitsEnd
    ? end === noNumber && codeAt(digitsEnd + 1) === plus
    : codeAt(digitsEnd - 1) === point && !isBlankAt(digitsEnd) && !isControlAt(digitsEnd);

const signed = (sign: number, size: number): number => (sign === minus ? -size : size);

const scaled = (integer: number, scale: number): number =>
  scale < 0 ? integer * (powers[-scale] ?? NaN) : integer / (powers[scale] ?? NaN);

function integerIn(start: number, end: number): number {
  let integer = 0;
  for (let at = start; at < end; at++) integer = integer * 10 + codeAt(at) - zero;
  return integer;
}

function afterExponent(at: number): number {
  if ((codeAt(at) | 0x20) !== 0x65) return at;
  const digitsAt = isSign(codeAt(at + 1)) ? at + 2 : at + 1;
  return isDigitAt(digitsAt) ? afterDigits(digitsAt) : at;
}

function exponentIn(start: number, end: number): number {
  if (start === end) return 0;
  const sign = codeAt(start + 1);
  return signed(sign, integerIn(isSign(sign) ? start + 2 : start + 1, end));
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
