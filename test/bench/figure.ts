/** What a benchmark gives: measured values, each with what it should be where there is an aim. */
export interface Figure {
  /** Unique among all benchmarks. */
  readonly name: string;
  readonly value: number;
  readonly unit:
    'ms' | 'ns' | 'MB/s' | 'MB' | 'points/s' | 'bytes' | 'count' | 'tokens' | 'USD' | '×' | '%';
  /** Absent: shown to compare with. */
  readonly aim?: Aim;
}

/**
 * A bound of what is fast or small enough: missed, it is said, and fails nothing, for machines
 * differ. A matter of correctness is the same on every machine: missed, it fails the benchmark.
 * `exactly` always is one.
 */
export type Aim =
  | { readonly exactly: number }
  | { readonly atMost: number; readonly kind?: 'correctness' }
  | { readonly atLeast: number; readonly kind?: 'correctness' };

/** The aim of what must not be: runs lost, rows that differ, false kills. */
export const none = { exactly: 0 } as const;

/**
 * - `full`: what is reported · `tiny`: all of the same code on as little as will do, to see that it
 *   works
 */
export type Size = 'full' | 'tiny';

/**
 * Rejects only when something is broken. Writes below `folder` only, which is empty at first and
 * removed by whoever made it; leaves no processes behind.
 */
export type Benchmark = (folder: string, size: Size) => Promise<readonly Figure[]>;

/** `undefined` where there is no aim. */
export function isMet({ value, aim }: Figure): boolean | undefined {
  if (aim === undefined) return undefined;
  if ('exactly' in aim) return value === aim.exactly;
  return 'atMost' in aim ? value <= aim.atMost : value >= aim.atLeast;
}

/** A value that is no number, or a missed aim that is a matter of correctness. */
export const isWrong = (figure: Figure): boolean =>
  !Number.isFinite(figure.value) || (isOfCorrectness(figure.aim) && isMet(figure) === false);

const isOfCorrectness = (aim: Aim | undefined): boolean =>
  aim !== undefined && ('exactly' in aim || aim.kind === 'correctness');

/** The figure as the size has it: what is fast enough is not to be seen from a tiny one. */
export function figureAt(size: Size, figure: Figure): Figure {
  if (size === 'full' || isOfCorrectness(figure.aim)) return figure;
  const { name, value, unit } = figure;
  return { name, value, unit };
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

/** `1M`, `20K`: for names. */
export const shortCount = (count: number): string =>
  new Intl.NumberFormat('en', { notation: 'compact' }).format(count);
