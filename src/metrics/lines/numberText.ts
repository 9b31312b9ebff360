const integer = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:_\d+)*)`;
const exponent = String.raw`(?:e[+-]?\d+)?`;

/**
 * Source of a regular expression (for use with the flag `i`) for a number as programs print it:
 * `.5`, `1,234`, `1_000`, `5e-05`, `-inf`.
 */
export const numberSource = String.raw`[+-]?(?:${integer}(?:\.\d*)?${exponent}|\.\d+${exponent}|nan|inf(?:inity)?)`;

const wholeNumber = new RegExp(`^${numberSource}$`, 'i');

/** Returns the value of a text that `numberSource` matches. */
export function valueOf(text: string): number {
  const value = Number(text);
  // `Number('')` is 0, but `numberSource` never matches an empty text.
  if (!Number.isNaN(value)) return value;
  const plain = text.replace(/[,_]/g, '').toLowerCase();
  if (plain.endsWith('nan')) return NaN;
  if (plain.includes('inf')) return plain.startsWith('-') ? -Infinity : Infinity;
  return Number(plain);
}

const numberInText = new RegExp(
  String.raw`^[\s"'$]*(?:[a-z_][\w.]*\(\s*)?(?:\[\s*)?(${numberSource})(?![\w.])`,
  'i',
);

/**
 * Returns the number in a captured text such as `0.5`, `95%` or `tensor(0.5)`; `undefined` if the
 * text has no number.
 */
export function readNumber(text: string): number | undefined {
  const found = numberInText.exec(text)?.[1];
  return found === undefined ? undefined : valueOf(found);
}

/**
 * Converts a JSON value to a number. Accepts numbers and strings that hold only a number (`"0.25"`,
 * `"NaN"`).
 */
export function jsonNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && wholeNumber.test(value) ? valueOf(value) : undefined;
}
