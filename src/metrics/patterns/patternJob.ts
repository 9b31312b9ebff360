/** Messages between the main thread and the worker that searches lines with patterns. */

export interface JobPattern {
  /** Source of the regular expression; its first group is the value. */
  readonly source: string;
  /** Number of lines to search. The pattern is not used for later lines. */
  readonly lines: number;
}

export interface PatternJob {
  readonly patterns: readonly JobPattern[];
  /** Lines of output, separated by line breaks. */
  readonly text: string;
}

/**
 * Found points, ordered by line and then by pattern. Five numbers per point: index of the line, index
 * of the pattern, step (NaN: none), value, position of the value in the line without its ANSI codes.
 */
export type FoundPoints = Float64Array<ArrayBuffer>;

export const numbersPerPoint = 5;

/**
 * Indices in the memory shared with the worker, which shows what the worker is searching. `pattern`
 * is the index of the pattern plus 1; 0 while the worker searches nothing.
 */
export const shared = { pattern: 0, line: 1, length: 2 } as const;
