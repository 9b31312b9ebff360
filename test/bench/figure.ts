/** What a benchmark gives: measured values, each with what it should be where there is an aim. */
export interface Figure {
  /** Unique among all benchmarks. */
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'ns' | 'MB/s' | 'MB' | 'points/s' | 'bytes' | 'count' | 'tokens' | 'USD' | '×' | '%';
  /** Absent: shown to compare with. A missed aim is said, and fails nothing. */
  readonly aim?: Aim;
}

export type Aim = { readonly atMost: number } | { readonly atLeast: number };

/**
 * Rejects only when something is broken. Writes below `folder` only, which is empty at first and removed by whoever made
 * it; leaves no processes behind.
 */
export type Benchmark = (folder: string) => Promise<readonly Figure[]>;

/** `undefined` where there is no aim. */
export function isMet({ value, aim }: Figure): boolean | undefined {
  if (aim === undefined) return undefined;
  return 'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast;
}

/** The nearest rank: the smallest value that is not exceeded by the share `q` of all. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is no quantile of nothing.');
  return value;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** p50 and p95 of times; the aim is for p95. */
export const spread = (name: string, timesMs: readonly number[], p95AtMost?: number): Figure[] => [
  { name: `${name}, p50`, value: median(timesMs), unit: 'ms' },
  {
    name: `${name}, p95`,
    value: quantile(timesMs, 0.95),
    unit: 'ms',
    ...(p95AtMost !== undefined && { aim: { atMost: p95AtMost } }),
  },
];

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
