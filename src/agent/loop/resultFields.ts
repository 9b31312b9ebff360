/** Writes the result of a tool for the model, within a maximum length. */
import type { Redactor } from '../../base/secrets/redactor.ts';
import { redactValue } from '../../base/secrets/redactValue.ts';
import { inert, untrusted } from '../../base/untrusted.ts';
import { capText } from '../../base/text.ts';
import type { ToolResult } from '../../tools/tool.ts';

export type WrittenContent = Pick<ToolResult, 'content' | 'origins'>;

/** Returns the result with labels in place of secrets. Call it before the content is shortened. */
export function withoutSecrets(
  result: ToolResult,
  secrets: Pick<Redactor, 'redact' | 'label'>,
): ToolResult {
  const { content } = result;
  if (typeof content === 'string') return { ...result, content: secrets.redact(inert(content)) };
  const clean = JSON.parse(JSON.stringify(content, cleaned)) as Record<string, unknown>;
  return { ...result, content: redactValue(clean, secrets) };
}

/**
 * Returns the content as text, objects as JSON, with its untrusted fields marked. A field that is
 * longer than `maxFieldChars` loses its middle; `hint` says how to read the rest.
 */
export function contentText(
  { content, origins = {} }: WrittenContent,
  maxFieldChars = Infinity,
  hint = '',
): string {
  if (typeof content === 'string') return inert(content);
  const marked = Object.entries(origins).flatMap(([name, origin]) => {
    const value = textOf(content[name]);
    return value !== '' ? [[name, untrusted(value, origin, maxFieldChars, hint)] as const] : [];
  });
  return JSON.stringify({ ...content, ...Object.fromEntries(marked) }, cleaned);
}

/**
 * Returns a text unchanged, and a list of texts as lines; empty for other values, which are not
 * marked as untrusted.
 */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? value.map((each) => each.replaceAll('\n', ' ')).join('\n')
    : '';
}

/**
 * Returns the content in at most about `maxChars`. Shortens the untrusted fields first, so that
 * their marks and the other fields stay whole.
 */
export function cappedContent(written: WrittenContent, maxChars: number, hint: string): string {
  const longest = Object.keys(written.origins ?? {}).length === 0 ? 0 : maxChars;
  // Escapes make the JSON longer than the field, so shorter fields are tried until one fits.
  for (let fieldChars = longest; fieldChars >= 256; fieldChars = Math.floor(fieldChars * 0.8)) {
    const text = contentText(written, fieldChars, hint);
    if (text.length <= maxChars) return text;
  }
  return capText(contentText(written), maxChars, hint).text;
}

const cleaned = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? inert(value) : value;
