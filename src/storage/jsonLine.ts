/**
 * Converts a value to one line of JSON and back. NaN and ±Infinity, which JSON lacks, are kept:
 * they are measured values.
 */

const marker = '$number';

export const toJsonLine = (value: unknown): string => JSON.stringify(value, writeNumber);

/** Throws `SyntaxError` for what is not JSON. */
export const fromJsonLine = (line: string): unknown =>
  JSON.parse(line, line.includes(`"${marker}"`) ? readNumber : undefined) as unknown;

const writeNumber = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? { [marker]: String(value) } : value;

function readNumber(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(marker in value)) return value;
  const keys = Object.keys(value);
  return keys.length === 1 && typeof value[marker] === 'string' ? Number(value[marker]) : value;
}
