/** Redacts all texts in a JSON value, such as an event or the arguments of a call. */
import { assignedSecrets, mayNameSecret } from './assignments.ts';
import type { Redactor } from './redactor.ts';

/** Keys whose values are not redacted: ids, and data in the format of a provider. */
const notText = new Set(['id', 'callId', 'type', 'opaque', 'base64']);

/**
 * Returns the value with redacted texts. A text may also be recognized as a secret by the name of
 * its field. Returns the same object if nothing changes.
 */
export function redactValue<Value>(
  value: Value,
  redactor: Pick<Redactor, 'redact' | 'label'>,
): Value {
  const redacted = (one: unknown, key = ''): unknown => {
    if (typeof one === 'string') return redactField(key, one, redactor);
    if (typeof one !== 'object' || one === null) return one;
    return Array.isArray(one) ? redactedItems(one, key) : redactedFields(one);
  };
  // Copies nothing before something changes: a request has the whole conversation, mostly clean.
  const redactedItems = (items: readonly unknown[], key: string): readonly unknown[] => {
    let changed: unknown[] | undefined;
    items.forEach((each, index) => {
      const now = redacted(each, key);
      if (now !== each) (changed ??= [...items])[index] = now;
    });
    return changed ?? items;
  };
  const redactedFields = (fields: object): object => {
    let changed: Record<string, unknown> | undefined;
    for (const name of Object.keys(fields)) {
      const each = (fields as Record<string, unknown>)[name];
      const now = notText.has(name) ? each : redacted(each, name);
      if (now !== each) (changed ??= { ...fields })[name] = now;
    }
    return changed ?? fields;
  };
  return redacted(value) as Value;
}

function redactField(key: string, text: string, redactor: Pick<Redactor, 'redact' | 'label'>) {
  const redacted = redactor.redact(text);
  const isSecret =
    redacted === text &&
    mayNameSecret(key) &&
    !/\s/.test(text) &&
    assignedSecrets(`"${key}": "${text}"`).length > 0;
  return isSecret ? redactor.label(text, [{ start: 0, end: text.length }]) : redacted;
}
