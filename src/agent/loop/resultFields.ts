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
  let marked: unknown = content;
  for (const [path, origin] of Object.entries(origins))
    marked = markedAt(marked, path.split('.'), (text) =>
      untrusted(text, origin, maxFieldChars, hint),
    );
  return JSON.stringify(marked, cleaned);
}

type Mark = (text: string) => string;

/** Marks the texts in the field `path`, in a list in each of its entries. Returns a new value. */
function markedAt(value: unknown, [name, ...rest]: readonly string[], mark: Mark): unknown {
  if (name === undefined) return markedWhole(value, mark);
  if (Array.isArray(value)) return value.map((each) => markedAt(each, [name, ...rest], mark));
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: markedAt(value[name], rest, mark) };
}

/** Marks all texts in the value. A list of texts becomes one text with lines. */
function markedWhole(value: unknown, mark: Mark): unknown {
  if (typeof value === 'string') return value === '' ? value : mark(value);
  if (Array.isArray(value))
    return value.length > 0 && value.every((each) => typeof each === 'string')
      ? mark(value.map((each) => each.replaceAll('\n', ' ')).join('\n'))
      : value.map((each) => markedWhole(each, mark));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, markedWhole(each, mark)]),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
