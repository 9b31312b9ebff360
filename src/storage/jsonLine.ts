/**
 * Converts a value to one line of JSON and back. Also preserves NaN and ±Infinity, which JSON
 * cannot express, since metrics can have these values.
 */

const marker = '$number';

export const toJsonLine = (value: unknown): string => JSON.stringify(value, writeNumber);

/** Parses a line of JSON. Throws `SyntaxError` for invalid JSON. */
export const fromJsonLine = (line: string): unknown =>
  JSON.parse(line, line.includes(`"${marker}"`) ? readNumber : undefined) as unknown;

const writeNumber = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? { [marker]: String(value) } : value;

function readNumber(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(marker in value)) return value;
  const keys = Object.keys(value);
  return keys.length === 1 && typeof value[marker] === 'string' ? Number(value[marker]) : value;
}
