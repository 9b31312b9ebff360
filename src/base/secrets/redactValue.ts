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
    if (Array.isArray(one))
      return sameOr(
        one,
        one.map((each) => redacted(each, key)),
      );
    const entries: [string, unknown][] = Object.entries(one);
    const changed = entries.map(([name, each]) =>
      notText.has(name) ? each : redacted(each, name),
    );
    return changed.every((each, index) => each === entries[index]?.[1])
      ? one
      : Object.fromEntries(entries.map(([name], index) => [name, changed[index]]));
  };
  return redacted(value) as Value;
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((each, index) => each === before[index]) ? before : after;

function redactField(key: string, text: string, redactor: Pick<Redactor, 'redact' | 'label'>) {
  const redacted = redactor.redact(text);
  const isSecret =
    redacted === text &&
    !/\s/.test(text) &&
    mayNameSecret(key) &&
    assignedSecrets(`"${key}": "${text}"`).length > 0;
  return isSecret ? redactor.label(text, [{ start: 0, end: text.length }]) : redacted;
}
