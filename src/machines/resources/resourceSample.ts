/**
 * Defines a sample of a machine's resources and their use at one time. Unreported values are
 * absent, never 0.
 */

export interface GpuProcess {
  readonly pid: number;
  /** Session of the process. A run leads its session, so this is the pid of its run. */
  readonly sessionPid?: number;
  readonly memoryBytes?: number;
}

export interface GpuSample {
  /** Number given by `nvidia-smi` or `rocm-smi`. */
  readonly id: string;
  readonly name?: string;
  /** Share of the time in which the GPU computed, 0 to 100. */
  readonly utilisationPercent?: number;
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  readonly temperatureCelsius?: number;
  readonly powerWatts?: number;
  /** Processes that hold memory of the GPU; absent where the driver does not report them. */
  readonly processes?: readonly GpuProcess[];
}

export interface DiskSample {
  /** Requested folder. */
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface ResourceSample {
  /** Time of arrival, by the local clock. */
  readonly atMs: number;
  /** Average of all CPUs since the previous sample, 0 to 100; absent in the first. */
  readonly cpuPercent?: number;
  /** Number of CPUs; in a container its limit, which may be a fraction. */
  readonly cpuCount?: number;
  /**
   * Processes running or waiting to run, averaged over the last minute. Absent in a container,
   * where it would be the host's.
   */
  readonly loadAverage?: number;
  /** Memory unavailable to new processes, without droppable caches. */
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  /** Disks of the run and work folders; folders on the same file system appear once. */
  readonly disks?: readonly DiskSample[];
  /** Empty: the machine has none. Absent: the driver did not answer in time. */
  readonly gpus?: readonly GpuSample[];
}
