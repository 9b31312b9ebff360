/** A secret in a text: its value is between the offsets `start` and `end`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** Name of the secret, if the secret is known. */
  readonly name?: string;
}

/** Returns the span of the group `value` in a match of a pattern with the flag `d`. */
export function valueSpan(match: RegExpExecArray): SecretSpan {
  const [start, end] = match.indices?.groups?.['value'] ?? [match.index, match.index];
  return { start, end };
}

/** Returns the spans in order. Overlapping spans are joined. */
export function joinSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const joined: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else joined[joined.length - 1] = { ...span, ...last, end: Math.max(last.end, span.end) };
  }
  return joined;
}
