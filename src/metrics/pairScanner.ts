import { jsonNumber, numberSource, valueOf } from './numberText.ts';

/** A name and the number beside it, as they stand in a line. */
export interface Pair {
  /**
   * The name with the words before it that belong to it: `loss`, `Val Loss`, `grad norm`,
   * `train/acc`.
   */
  readonly label: string;
  readonly value: number;
  /** `1000` in `step 12/1000`; else NaN. */
  readonly total: number;
  /**
   * `spaced` (`loss 0.5`) and `tight` (`host:80`) say less than `clear` (`loss=0.5`, `loss: 0.5`,
   * JSON).
   */
  readonly sign: 'clear' | 'tight' | 'spaced';
  /** The number as it was written. */
  readonly digits: string;
}

const nameCharacters = String.raw`\w./@\u00aa-\u024f\u0370-\u1fff\u3040-\ud7ff`;
/** Any name: what detection looks for. */
export const anyName = String.raw`[a-z_\u00aa-\u024f\u0370-\u1fff\u3040-\ud7ff][${nameCharacters}-]*`;

const qualifiers = [
  'train|training|val|valid|validation|test|eval|evaluation|dev|best|final|avg|average|mean|running|smoothed',
  'total|global|grad|gradient|learning|policy|value|actor|critic|token|step|masked|top-\\d',
].join('|');
const quote = String.raw`\\?["']`;
const wrapping = String.raw`(?:tensor|array|(?:np|numpy|jnp|torch)\.\w+|b?float\d*)\(\s*\[?|${quote}|\$`;
// A lone k, M, G, B, T would multiply the number: better no point than one that is wrong by a
// thousand.
const unit = String.raw`\s?%|(?![kmgbt](?![a-zµ/]))[a-zµ]{1,7}(?:/[a-z]{1,7})?`;
/**
 * What follows shows that this was not a number: a version, a date, a time of day, a path, a hash.
 */
const noMore = String.raw`(?![\w]|[.,:-]\d|[/-]\w)`;

/**
 * Finds `<name> <sign> <number>`; `names` is the source of an expression for the names that are
 * looked for.
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

/** Calls `onPair` for each pair of a line of text, in order. */
export function scanPairs(expression: RegExp, line: string, onPair: (pair: Pair) => void): void {
  expression.lastIndex = 0;
  for (let match = expression.exec(line); match !== null; match = expression.exec(line)) {
    // The first of a list is not the value of its name.
    if (match[4] !== undefined && match[7] !== undefined) continue;
    const digits = match[5] ?? '';
    onPair({
      label: match[1] ? match[1] + match[2] : (match[2] ?? ''),
      value: valueOf(digits),
      total: match[6] === undefined ? NaN : valueOf(match[6]),
      sign: signKind(match[3] ?? ''),
      digits,
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
 * The numbers of a line that is one JSON object, nested objects as `outer/inner`, with NaN and
 * Infinity as Python writes them. False, and no call, when it is not JSON.
 */
export function scanJson(line: string, onPair: (pair: Pair) => void): boolean {
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

const deepest = 4;

function walk(value: object, path: string, onPair: (pair: Pair) => void, depth = 1): void {
  for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
    const name = path === '' ? key : `${path}/${key}`;
    const number = jsonNumber(inner);
    if (number !== undefined)
      onPair({ label: name, value: number, total: NaN, sign: 'clear', digits: '' });
    else if (
      typeof inner === 'object' &&
      inner !== null &&
      !Array.isArray(inner) &&
      depth < deepest
    )
      walk(inner, name, onPair, depth + 1);
  }
}
