/**
 * The shape of a line: its characters, with a gap in place of each run of digits that is not part
 * of a name. Other lines have the same shape if they differ only in these digits.
 */
import { decimal, isDigit, readDecimal } from './decimal.ts';
import type { Pair } from './lineFormats.ts';

/** A longer line has no shape. */
export const maxShapeChars = 512;
export const noShape = -1;

/** A pair of a line. `at`: position of its number. */
export type PlacedPair = Pick<Pair, 'total' | 'sign' | 'isMeasured'> & { readonly at: number };

export interface LineShape {
  /** The texts before each gap and after the last. */
  readonly texts: readonly DataView[];
  readonly gaps: Uint8Array;
}

/**
 * The numbers of the line that `readShape` has read, in order; `shares` are divided by their
 * totals.
 */
export const shapeNumbers = {
  values: new Float64Array(maxShapeChars),
  shares: new Float64Array(maxShapeChars),
};

/**
 * Kinds of gaps. `digits` are not read. A number after a weak sign has to stay `whole` or
 * `measured` (see `Pair.isMeasured`), because this may decide whether it is a point.
 */
const gap = { digits: 0, total: 1, number: 2, whole: 3, measured: 4 };

const [tab, newline, carriageReturn] = [0x09, 0x0a, 0x0d];

export const isLineEnd = (code: number): boolean => code === newline || code === carriageReturn;
/** Returns whether a line with this character may have a shape. */
export const isShapeCharacter = (code: number): boolean =>
  (code >= 0x20 || code === tab) && code < 0x7f;

/**
 * Reads the line at `start` if it has the shape, and returns the position of its line end; otherwise
 * returns `noShape`. `text` has the characters of `bytes`. A line end follows `start`.
 */
export function readShape(
  { texts, gaps }: LineShape,
  bytes: DataView,
  text: string,
  start: number,
): number {
  let at = start;
  let pair = 0;
  for (let index = 0; ; index++) {
    const expected = texts[index];
    if (expected === undefined || !isTextAt(bytes, at, expected)) return noShape;
    at += expected.byteLength;
    if (index === gaps.length) break;
    const kind = gaps[index] ?? gap.digits;
    const from = at;
    at = kind <= gap.total ? afterDigits(bytes, at) : readDecimal(bytes, text, at);
    if (at === from) return noShape;
    if (kind === gap.digits) continue;
    if (kind === gap.total) {
      divide(pair - 1, Number(text.slice(from, at)));
      continue;
    }
    if (kind !== gap.number && decimal.isMeasured !== (kind === gap.measured)) return noShape;
    shapeNumbers.values[pair] = shapeNumbers.shares[pair] = decimal.value;
    pair++;
  }
  return isLineEnd(bytes.getUint8(at)) && at - start <= maxShapeChars ? at : noShape;
}

/** Returns whether the bytes at `start` are those of `text`. */
function isTextAt(bytes: DataView, start: number, text: DataView): boolean {
  const length = text.byteLength;
  if (start + length >= bytes.byteLength) return false;
  let at = 0;
  for (; at + 4 <= length; at += 4)
    if (bytes.getUint32(start + at) !== text.getUint32(at)) return false;
  for (; at < length; at++) if (bytes.getUint8(start + at) !== text.getUint8(at)) return false;
  return true;
}

function afterDigits(bytes: DataView, start: number): number {
  let at = start;
  while (isDigit(bytes.getUint8(at))) at++;
  return at;
}

function divide(pair: number, total: number): void {
  if (total > 0) shapeNumbers.shares[pair] = (shapeNumbers.values[pair] ?? NaN) / total;
}

/** Matches a character after which a digit may belong to a name that is searched for. */
const beforeNameDigit = /[a-z@]/i;
const isWordCharacter = (character: string): boolean => /[\w./@?&-]/.test(character);

/**
 * Returns the shape of a line with these pairs; `undefined` if it can have none. `isAnyName`:
 * whether any word may be a name, so that the digits in words belong to the shape.
 */
export function shapeOf(
  line: string,
  pairs: readonly PlacedPair[],
  isAnyName: boolean,
): LineShape | undefined {
  if (line.length > maxShapeChars || !Buffer.from(line).every(isShapeCharacter)) return undefined;
  const bytes = new DataView(new TextEncoder().encode(`${line}\n`).buffer);
  const placed = new Map(pairs.map((pair) => [pair.at, pair]));
  const builder = new ShapeBuilder(line);
  let isInName = false;
  for (let at = 0; at < line.length;) {
    const pair = placed.get(at);
    if (pair !== undefined) {
      at = readDecimal(bytes, line, at);
      builder.addGap(pair.at, at, gapOf(pair));
      if (!Number.isNaN(pair.total)) {
        const totalAt = afterSlash(line, at);
        at = afterDigits(bytes, totalAt);
        builder.addGap(totalAt, at, gap.total);
      }
      isInName = false;
    } else if (isDigit(bytes.getUint8(at))) {
      const start = at;
      at = afterDigits(bytes, at);
      const isKept = isInName && (isAnyName || beforeNameDigit.test(line[start - 1] ?? ''));
      if (!isKept) builder.addGap(start, at, gap.digits);
    } else {
      const character = line[at] ?? '';
      if (!isWordCharacter(character)) isInName = false;
      else if (!isWordCharacter(line[at - 1] ?? '')) isInName = /[a-z_]/i.test(character);
      at++;
    }
  }
  return builder.shape();
}

class ShapeBuilder {
  readonly #line: string;
  readonly #texts: DataView[] = [];
  readonly #gaps: number[] = [];
  #end = 0;

  constructor(line: string) {
    this.#line = line;
  }

  addGap(start: number, end: number, kind: number): void {
    this.#texts.push(this.#textUpTo(start));
    this.#gaps.push(kind);
    this.#end = end;
  }

  shape(): LineShape {
    const texts = [...this.#texts, this.#textUpTo(this.#line.length)];
    return { texts, gaps: Uint8Array.from(this.#gaps) };
  }

  #textUpTo(end: number): DataView {
    return new DataView(new TextEncoder().encode(this.#line.slice(this.#end, end)).buffer);
  }
}

const gapOf = ({ sign, isMeasured }: PlacedPair): number => {
  if (sign === 'clear') return gap.number;
  return isMeasured ? gap.measured : gap.whole;
};

/** Returns the position of the total after a number that ends at `numberEnd`. */
function afterSlash(line: string, numberEnd: number): number {
  let at = line.indexOf('/', numberEnd) + 1;
  while (!isDigit(line.charCodeAt(at))) at++;
  return at;
}
