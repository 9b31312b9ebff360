/** Checks which metrics a run is asked to have, before the run is planned. */
import { HeliosError, messageOf } from '../../base/errors.ts';
import { isUsableName } from './labels.ts';
import type { MetricSpec } from '../metric.ts';

/** Thrown for unusable metric names or patterns; the message says which ones and why. */
export class MetricSpecError extends HeliosError {
  readonly reason = 'metric_spec';
}

/** Maximum number of patterns of a run. Each pattern costs time on every line. */
const maxPatterns = 50;
/** Maximum length of a pattern. Compiling a huge pattern can exhaust the memory of the process. */
const maxPatternChars = 1000;

/**
 * Throws `MetricSpecError` for an unusable name or pattern. Call this function before launching a
 * run, so that the run does not start with such a spec. Never searches a text with a pattern,
 * because a pattern can take any time, even on an empty text.
 */
export function checkMetricSpec({ names = [], patterns = {} }: MetricSpec): void {
  names.forEach(checkedName);
  const entries = Object.entries(patterns);
  if (entries.length > maxPatterns)
    throw new MetricSpecError(
      `There are ${entries.length} metric patterns, and at most ${maxPatterns} are possible. Remove some, or name the metrics instead.`,
    );
  for (const [name, source] of entries) checkPattern(checkedName(name), source);
}

export const hasPatterns = ({ patterns = {} }: MetricSpec): boolean =>
  Object.keys(patterns).length > 0;

/**
 * Returns whether metrics are detected, which is the case if the spec has no names; patterns are
 * read in addition. A detected name that is not a known metric has to occur twice.
 */
export const isDetecting = ({ names = [] }: MetricSpec): boolean => names.length === 0;

/** Returns the name without surrounding white space. Throws `MetricSpecError`. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (isUsableName(trimmed)) return trimmed;
  throw new MetricSpecError(
    `The metric name ${JSON.stringify(name.slice(0, 80))} is empty, too long or contains control characters. ` +
      'Use the name as it appears in the output, such as "loss".',
  );
}

function checkPattern(name: string, source: string): void {
  if (source.length > maxPatternChars)
    throw new MetricSpecError(
      `The pattern of metric ${name} has ${source.length} characters, and at most ${maxPatternChars} are possible. Shorten it.`,
    );
  try {
    new RegExp(source, 'gi');
  } catch (error) {
    throw new MetricSpecError(
      `The pattern of metric ${name} is not a regular expression: ${messageOf(error)}`,
    );
  }
  if (!hasCaptureGroup(source))
    throw new MetricSpecError(
      `The pattern of metric ${name} has no capture group. Put the number in one, for example: ${name}=([\\d.eE+-]+)`,
    );
}

/**
 * Returns whether a valid expression has a capture group, outside escapes and character classes.
 */
function hasCaptureGroup(source: string): boolean {
  const plain = source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x');
  return /\((?!\?)|\(\?<(?![=!])/.test(plain);
}
