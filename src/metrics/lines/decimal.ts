/** Reads decimal numbers such as `-12.5e-3` from bytes. */

/** The number that `readDecimal` has read. */
export const decimal = {
  value: NaN,
  /** Whether the number has a decimal point or an exponent. */
  isMeasured: false,
  /** Position after the digits, before the exponent. */
  digitsEnd: 0,
};

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const letterE = 0x65;
/** Powers of ten that are exact as floating-point numbers. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const isSign = (code: number): boolean => code === minus || code === plus;
export const isDigit = (code: number): boolean => code >= zero && code <= nine;

/**
 * Reads the number at `start` into `decimal`: a sign, digits with a point, and an exponent, each of
 * which may be missing. Its value is that of `Number`. Returns the position after the number;
 * `start` if there is no digit. `text` has the characters of `bytes`, and a character that is not
 * part of a number follows.
 */
export function readDecimal(bytes: DataView, text: string, start: number): number {
  const first = bytes.getUint8(start);
  const digitsAt = isSign(first) ? start + 1 : start;
  let mantissa = 0;
  let at = digitsAt;
  let code = bytes.getUint8(at);
  for (; isDigit(code); code = bytes.getUint8(++at)) mantissa = mantissa * 10 + (code - zero);
  let decimals = 0;
  let digits = at - digitsAt;
  decimal.isMeasured = code === point;
  if (code === point) {
    code = bytes.getUint8(++at);
    const decimalsAt = at;
    for (; isDigit(code); code = bytes.getUint8(++at)) mantissa = mantissa * 10 + (code - zero);
    decimals = at - decimalsAt;
    digits += decimals;
  }
  if (digits === 0) return start;
  decimal.digitsEnd = at;
  if ((code | 0x20) === letterE) {
    const end = afterExponent(bytes, at);
    if (end > at) {
      decimals -= exponentIn(bytes, at, end);
      decimal.isMeasured = true;
      at = end;
    }
  }
  const isExact = mantissa <= Number.MAX_SAFE_INTEGER && Math.abs(decimals) < powers.length;
  decimal.value = isExact
    ? signed(first, scaled(mantissa, decimals))
    : Number(text.slice(start, at));
  return at;
}

/** Returns the quotient of exact numbers, which is rounded only once. */
const scaled = (integer: number, decimals: number): number =>
  decimals < 0 ? integer * (powers[-decimals] ?? NaN) : integer / (powers[decimals] ?? NaN);

const signed = (sign: number, size: number): number => (sign === minus ? -size : size);

function afterExponent(bytes: DataView, at: number): number {
  let end = isSign(bytes.getUint8(at + 1)) ? at + 2 : at + 1;
  if (!isDigit(bytes.getUint8(end))) return at;
  while (isDigit(bytes.getUint8(end))) end++;
  return end;
}

function exponentIn(bytes: DataView, start: number, end: number): number {
  const sign = bytes.getUint8(start + 1);
  let exponent = 0;
  for (let at = isSign(sign) ? start + 2 : start + 1; at < end; at++)
    exponent = exponent * 10 + (bytes.getUint8(at) - zero);
  return signed(sign, exponent);
}
