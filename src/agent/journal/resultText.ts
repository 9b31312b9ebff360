/** Formats the result of a tool call for users. The model gets results as JSON. */

import { withoutUntrustedMarks } from '../../base/untrusted.ts';

/**
 * Formats JSON with one field per line. Returns text unchanged when it is not a JSON object or
 * list.
 */
export function resultText(text: string): string {
  const value = parsed(text);
  if (Array.isArray(value)) return value.map(plain).join('\n');
  return isRecord(value)
    ? Object.entries(value).map(field).join('\n')
    : withoutUntrustedMarks(text);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Formats one field. A text of several lines starts on a new line, and so does each entry of a list
 * of objects.
 */
function field([name, value]: readonly [string, unknown]): string {
  if (Array.isArray(value) && value.some(isRecord))
    return [`${name}:`, ...value.map((each) => `- ${plain(each)}`)].join('\n');
  const text = plain(value);
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (!isRecord(value)) return withoutUntrustedMarks(String(value));
  return Object.entries(value)
    .map(([name, each]) => (isRecord(each) ? `${name} (${plain(each)})` : `${name} ${plain(each)}`))
    .join(', ');
}
