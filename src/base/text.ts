const ansiPattern = new RegExp(
  '\\u001b\\[[0-?]*[ -/]*[@-~]|\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)|\\u001b[@-_]',
  'g',
);
const controlPattern = new RegExp('[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]', 'g');

/**
 * Text of a process, made safe to show: no ANSI sequences, no control characters but tab, newline,
 * carriage return.
 */
export const cleanText = (text: string): string => stripAnsi(text).replace(controlPattern, '');

export const stripAnsi = (text: string): string =>
  text.includes('\u001b') ? text.replace(ansiPattern, '') : text;

/**
 * Keeps the head and the tail of a long text, at most `maxChars` in all, and says how much was left
 * out between.
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

/** One line of at most `maxChars`, white space collapsed, cut with an ellipsis. */
export function oneLine(text: string, maxChars: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= maxChars ? flat : `${cutText(flat, Math.max(0, maxChars - 1))}…`;
}

/** At most the first `maxChars`, no character cut in half. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');

/** `a`, `a or b`, `a, b or c`. */
export const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** `1 run`, `3 runs`; `many` where an s does not make it. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** A metric value with sensible digits: `0.8312`, `12.35`, `1.2e-5`, `NaN`. */
export function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (Number.isInteger(value) && size < 1e7) return String(value);
  if (size >= 1e7 || size < 1e-3) return value.toExponential(2);
  if (size >= 1000) return value.toFixed(1);
  return String(Number(value.toPrecision(4)));
}

/** `850 ms`, `12 s`, `2 min 5 s`, `3 h 10 min`. */
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

/** `812 B`, `1.4 kB`, `25 MB`, `1.07 GB`: powers of 1000, three digits at most. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** Dollars with as many digits as carry meaning: `$1.20`, `$0.0042`. */
export const formatUsd = (usd: number): string =>
  usd === 0 || usd >= 0.1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`;

/** `text` as one word of a POSIX shell command line. */
export const shellQuote = (text: string): string =>
  /^[A-Za-z0-9_\-./:=@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
