import type { WriteAt } from './disk/appendOnly.ts';
import type { PointsFileLimits } from './disk/pointsFile.ts';
import type { PatternSearch } from './patterns/patternSearch.ts';

/** Limits of the metrics of a run. Smaller in tests. */
export interface MetricLimits extends PointsFileLimits {
  /** Maximum number of points of one metric in memory. */
  readonly pointsPerSeries: number;
}

export interface MetricsOptions {
  /** Writes to the files. Default: the system's own way. */
  readonly write?: WriteAt | undefined;
  /** Worker that searches lines with the patterns of the spec. Default: a separate worker. */
  readonly search?: PatternSearch | undefined;
  readonly limits?: Partial<MetricLimits> | undefined;
}
