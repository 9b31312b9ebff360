const ansiPattern = new RegExp(
  '\\u001b\\[[0-?]*[ -/]*[@-~]|\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)|\\u001b[@-_]',
  'g',
);
const controlPattern = new RegExp('[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]', 'g');

/**
 * Removes ANSI sequences, and control characters other than tab, newline and carriage return, from
 * the output of a process.
 */
export const cleanText = (text: string): string => stripAnsi(text).replace(controlPattern, '');

export const stripAnsi = (text: string): string =>
  text.includes('\u001b') ? text.replace(ansiPattern, '') : text;

/**
 * Shortens a long text to about `maxChars`: returns the start and the end of the text, with a
 * marker in between that states how many characters were omitted.
 */
export function capText(
  text: string,
  maxChars: number,
  hint = '',
): { text: string; omittedChars: number } {
  if (text.length <= maxChars) return { text, omittedChars: 0 };
  const tailChars = Math.floor(maxChars * 0.6);
  const headChars = Math.max(0, maxChars - tailChars);
  const omittedChars = text.length - headChars - tailChars;
  const marker = `\n[… ${omittedChars} characters left out${hint ? `; ${hint}` : ''} …]\n`;
  return {
    text: text.slice(0, headChars) + marker + text.slice(text.length - tailChars),
    omittedChars,
  };
}

/**
 * Returns the text on one line of at most `maxChars`, with white space collapsed. A truncated text
 * ends with an ellipsis.
 */
export function oneLine(text: string, maxChars: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= maxChars ? flat : `${cutText(flat, Math.max(0, maxChars - 1))}…`;
}

/** Truncates the text to `maxChars` without splitting a character. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');

/** Joins words as `a`, `a or b` or `a, b or c`. */
export const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/**
 * Returns a count with its noun, such as `1 run` or `3 runs`. Pass `many` if the plural is
 * irregular.
 */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Returns the length of a text: `4,548 characters, 12 lines`. */
export function textSize(text: string): string {
  const lines = text.split('\n').length;
  const count = text.length.toLocaleString('en-US');
  return `${count} ${text.length === 1 ? 'character' : 'characters'}, ${counted(lines, 'line')}`;
}

/** Number of significant digits of a metric that scripts usually print. */
const valueDigits = 6;
/** Digits of a number that are its own. Later ones come from sums in binary. */
const exactDigits = 12;

/**
 * Rounds to significant digits as a reader does: on the decimal text, and half away from zero.
 * 1.72085 becomes 1.7209, whatever its binary form.
 */
export function roundDigits(value: number, digits: number): number {
  if (digits >= exactDigits || !Number.isFinite(value)) return value;
  const [mantissa = '', power = ''] = Math.abs(value)
    .toExponential(exactDigits - 1)
    .split('e');
  const whole = Math.round(Number(`${mantissa}e${digits - 1}`));
  return Math.sign(value) * Number(`${whole}e${Number(power) - digits + 1}`);
}

/** Formats a number with fixed decimals, and rounds half away from zero: `1.7209`. */
export function formatFixed(value: number, decimals: number): string {
  const digits = value === 0 ? 1 : decimals + 1 + Math.floor(Math.log10(Math.abs(value)));
  return (digits < 1 ? value : roundDigits(value, digits)).toFixed(decimals);
}

/**
 * Formats a metric value with at most `digits` significant digits, by default those that a script
 * prints: `43.933`, `0.8312`, `1.2e-5`, `NaN`.
 */
export function formatValue(value: number, digits = valueDigits): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isInteger(value) && size < 1e7) return String(value);
  const rounded = roundDigits(value, digits);
  return size >= 1e7 || size < 1e-3 ? rounded.toExponential() : String(rounded);
}

/** Formats a standard deviation: `0.0028`, `1.55`. */
export const formatSpread = (spread: number): string => formatValue(spread, 3);

/** Formats the ratio of two values: `0.3333`, `20.1`. */
export const formatRatio = (ratio: number): string => formatValue(ratio, 4);

/** Formats a duration as `850 ms`, `12 s`, `2 min 5 s` or `3 h 10 min`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.max(0, Math.round(durationMs))} ms`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/**
 * Formats a size as `812 B`, `1.4 kB`, `25 MB` or `1.07 GB`: powers of 1000, at most three digits.
 */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** Formats dollars with significant digits: `$1.20`, `$0.0042`. */
export const formatUsd = (usd: number): string =>
  usd === 0 || usd >= 0.1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`;

/** Formats a number of tokens with three digits: `1.23M`, `45.2k`, `812`. */
export function formatTokens(tokens: number): string {
  if (tokens < 999.5) return String(Math.round(tokens));
  const [size, unit] = tokens < 999_500 ? [1e3, 'k'] : [1e6, 'M'];
  return `${Number((tokens / size).toPrecision(3))}${unit}`;
}

/** Quotes `text` as one word of a POSIX shell command line. */
export const shellQuote = (text: string): string =>
  /^[A-Za-z0-9_\-./:=@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
