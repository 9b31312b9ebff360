/** Finds metrics that a launch named and that were never read from the output. */
import { cleanText, oneLine } from '../base/text.ts';
import { mayHoldNumber } from './lines/lineParser.ts';
import { findMetric } from './metricName.ts';
import type { MetricSpec } from './metric.ts';

/** Returns the metrics that a launch named, by names and patterns. */
export const namedMetrics = ({ names = [], patterns = {} }: MetricSpec): readonly string[] => [
  ...new Set([...names, ...Object.keys(patterns)]),
];

/** Returns the metrics that a launch named and that were never read from the output. */
export function unreadMetrics(
  spec: MetricSpec,
  read: readonly { readonly metric: string }[],
): readonly string[] {
  const printed = read.map(({ metric }) => metric);
  return namedMetrics(spec).filter((name) => findMetric(name, printed) === undefined);
}

const maxNearestChars = 160;

/**
 * Returns the last line with a number that shares most words with the first metric or its pattern.
 * If no line shares a word with the first metric, the next metric is tried. Returns `undefined` if
 * no line shares a word with any metric, or if the metrics are not read from the output. The line
 * is cleaned and truncated.
 */
export const nearestLine = (
  output: string,
  metrics: readonly string[],
  spec: MetricSpec,
): string | undefined =>
  spec.from === undefined
    ? metrics.map((metric) => nearestTo(output, metric, spec)).find((line) => line !== undefined)
    : undefined;

function nearestTo(
  output: string,
  metric: string,
  { patterns = {} }: MetricSpec,
): string | undefined {
  const wanted = wordsOf(`${metric} ${(patterns[metric] ?? '').replace(/\\[a-z]/gi, ' ')}`);
  let nearest: { readonly line: string; readonly shared: number } | undefined;
  for (const line of output.split(/[\r\n]+/)) {
    if (!mayHoldNumber(line)) continue;
    const shared = [...wordsOf(line)].filter((word) => wanted.has(word)).length;
    if (shared > 0 && shared >= (nearest?.shared ?? 0)) nearest = { line, shared };
  }
  return nearest && oneLine(cleanText(nearest.line), maxNearestChars);
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/\p{L}{2,}/gu));
