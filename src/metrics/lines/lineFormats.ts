/**
 * The formats in which scripts print metrics on a line: `loss=0.5`, `loss: 0.5`, `loss 0.5` and
 * JSON.
 */
import { jsonNumber, numberSource, valueOf } from './numberText.ts';

/** A name and the number next to it in a line. */
export interface Pair {
  /** The name with its qualifiers: `loss`, `Val Loss`, `grad norm`, `train/acc`. */
  readonly label: string;
  readonly value: number;
  /** `1000` in `step 12/1000`, otherwise NaN. */
  readonly total: number;
  /**
   * Form of the separator between name and number. `clear`: `loss=0.5`, `loss: 0.5` or JSON.
   * `tight`: `host:80`. `spaced`: `loss 0.5`. `tight` and `spaced` are weaker evidence of a metric
   * than `clear`.
   */
  readonly sign: 'clear' | 'tight' | 'spaced';
  /**
   * Whether the number has a decimal point or an exponent, or is not finite. Set only if `sign` is
   * not `clear`.
   */
  readonly isMeasured: boolean;
}

const nameCharacters = String.raw`\w./@\u00aa-\u024f\u0370-\u1fff\u3040-\ud7ff`;
/** Source of the regular expression for any name, used to detect metrics. */
export const anyName = String.raw`[a-z_\u00aa-\u024f\u0370-\u1fff\u3040-\ud7ff][${nameCharacters}-]*`;

const qualifiers = [
  'train|training|val|valid|validation|test|eval|evaluation|dev|best|final|avg|average|mean|running|smoothed',
  'total|global|grad|gradient|learning|policy|value|actor|critic|token|step|masked|top-\\d',
].join('|');
const onlyQualifier = new RegExp(`^(?:${qualifiers})$`, 'i');
export const maxQualifierChars = Math.max(...qualifiers.split('|').map((word) => word.length));

/** Returns whether a word before a name belongs to the name: `val`, `best`, `grad`. */
export const isQualifier = (word: string): boolean => onlyQualifier.test(word);

const quote = String.raw`\\?["']`;
const wrapping = String.raw`(?:tensor|array|(?:np|numpy|jnp|torch)\.\w+|b?float\d*)\(\s*\[?|${quote}|\$`;
// A number with the suffix k, M, G, B or T is skipped: read without the suffix, the value would be
// wrong by a factor of at least a thousand.
const unit = String.raw`\s?%|(?![kmgbt](?![a-zµ/]))[a-zµ]{1,7}(?:/[a-z]{1,7})?`;
/** Rejects a number that continues as a version, a date, a time of day, a path or a hash. */
const noMore = String.raw`(?![\w]|[.,:-]\d|[/-]\w)`;

/**
 * Returns an expression that finds `<name> <sign> <number>`. `names` is the source of the regular
 * expression for the names.
 */
export function pairExpression(names: string): RegExp {
  const sign = String.raw`\s*(?::?=|[-=]>|→|:)\s*|\s+|(?=\[)`;
  const total = String.raw`(?:\s*/\s*(\d[\d,_]*))?`;
  return new RegExp(
    `(?<![${nameCharacters}?&-])((?:(?:${qualifiers})[ \\t]+){0,2})(?:${quote})?(${names})(?:${quote})?(${sign})` +
      `(?:${wrapping}|(\\[)\\s*)?(${numberSource})(?:${unit})?${total}${noMore}(\\s*,)?`,
    'gi',
  );
}

/**
 * Matches a number over repeats, `median over 5 rounds: 401.2 ms`: a name, the number of repeats, a
 * number and perhaps its unit.
 */
const overRepeats = new RegExp(
  String.raw`^\s{0,40}([a-z][a-z ]{0,40}?) (?:over|of|across) \d{1,9} [a-z]{1,20}\s?[:=]\s?(${numberSource})(?: ?([mun]?s)\b)?`,
  'i',
);

/**
 * Returns false for most lines without a number over repeats. A quick test, which depends neither on
 * the sign nor on the form of a number.
 */
export const mayBeRepeats = (line: string): boolean => / (?:over|of|across) [+.\d-]/.test(line);

/**
 * Calls `onPair` for a number over repeats, with its unit as the last word of the label; if the
 * launch named metrics (`isAsked`), also without the unit. Returns whether the line has such a
 * number.
 */
export function scanRepeats(line: string, onPair: (pair: Pair) => void, isAsked: boolean): boolean {
  if (!mayBeRepeats(line)) return false;
  const [, label, digits, unit] = overRepeats.exec(line) ?? [];
  if (label === undefined || digits === undefined) return false;
  const pair = { value: valueOf(digits), total: NaN, sign: 'clear', isMeasured: true } as const;
  if (unit !== undefined) onPair({ ...pair, label: `${label} ${unit}` });
  if (unit === undefined || isAsked) onPair({ ...pair, label });
  return true;
}

/** Calls `onPair` for each number with a label in a line of text or JSON, in order. */
export function scanLine(expression: RegExp, line: string, onPair: (pair: Pair) => void): void {
  if (line.startsWith('{"') && line.endsWith('}') && scanJson(line, onPair)) return;
  scanPairs(expression, line, onPair);
}

function scanPairs(expression: RegExp, line: string, onPair: (pair: Pair) => void): void {
  expression.lastIndex = 0;
  for (let match = expression.exec(line); match !== null; match = expression.exec(line)) {
    // Skips the number: it is the first element of a list, so the name has no single value.
    if (match[4] !== undefined && match[7] !== undefined) continue;
    const digits = match[5] ?? '';
    const sign = signKind(match[3] ?? '');
    onPair({
      label: match[1] ? match[1] + match[2] : (match[2] ?? ''),
      value: valueOf(digits),
      total: match[6] === undefined ? NaN : valueOf(match[6]),
      sign,
      isMeasured: sign !== 'clear' && /[.ni]|\de/i.test(digits),
    });
  }
}

function signKind(sign: string): Pair['sign'] {
  if (sign === '=') return 'clear';
  if (sign === ':') return 'tight';
  return sign === '' || sign.trim() !== '' ? 'clear' : 'spaced';
}

const bareNonFinite = /(?<=[:[,]\s*)(?:-?Infinity|NaN)(?=\s*[,}\]])/g;

/**
 * Calls `onPair` for each number in a line that is one JSON object. Labels of nested numbers are
 * joined as `outer/inner`; NaN and Infinity are accepted as Python writes them. Returns false if
 * the line is not valid JSON.
 */
function scanJson(line: string, onPair: (pair: Pair) => void): boolean {
  const parsed = parseObject(line) ?? parseObject(line.replace(bareNonFinite, '"$&"'));
  if (parsed === undefined) return false;
  walk(parsed, '', onPair);
  return true;
}

function parseObject(line: string): object | undefined {
  try {
    return JSON.parse(line) as object;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Maximum depth of nested JSON objects; numbers in deeper objects are ignored. */
const maxDepth = 4;

function walk(value: object, path: string, onPair: (pair: Pair) => void, depth = 1): void {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = path === '' ? key : `${path}/${key}`;
    const number = jsonNumber(inner);
    if (number !== undefined)
      onPair({ label: name, value: number, total: NaN, sign: 'clear', isMeasured: true });
    else if (
      typeof inner === 'object' &&
      inner !== null &&
      !Array.isArray(inner) &&
      depth < maxDepth
    )
      walk(inner, name, onPair, depth + 1);
  }
}
