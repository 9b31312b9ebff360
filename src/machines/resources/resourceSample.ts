/**
 * Defines a sample of a machine's resources and their use at one time. Unreported values are
 * absent, never 0.
 */

export interface GpuProcess {
  readonly pid: number;
  /**
   * Session of the process. A run is the leader of its session, so this is the pid of the run to
   * which the process belongs.
   */
  readonly sessionPid?: number;
  readonly memoryBytes?: number;
}

export interface GpuSample {
  /** Number given by `nvidia-smi` or `rocm-smi`. */
  readonly id: string;
  readonly name?: string;
  /** Percentage of the time during which the GPU computed, 0 to 100. */
  readonly utilisationPercent?: number;
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  readonly temperatureCelsius?: number;
  readonly powerWatts?: number;
  /** Processes that use memory of the GPU; absent if the driver does not report processes. */
  readonly processes?: readonly GpuProcess[];
}

export interface DiskSample {
  /** Folder whose file system was measured. */
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface ResourceSample {
  /**
   * Time at which the sample arrived, by the clock of this computer, in milliseconds since the
   * epoch.
   */
  readonly atMs: number;
  /**
   * Average use of all CPUs since the previous sample, 0 to 100. Absent in the first sample on
   * Linux.
   */
  readonly cpuPercent?: number;
  /** Number of CPUs or, in a container with a CPU limit, that limit, which may be a fraction. */
  readonly cpuCount?: number;
  /**
   * Processes running or waiting to run, averaged over the last minute. Absent in a container with
   * a CPU limit, because the value would be that of the host.
   */
  readonly loadAverage?: number;
  /** Memory that is not available to new processes. Caches that can be dropped are available. */
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  /**
   * Disks of the runs folder and the work folder; only one item if both are on the same file
   * system.
   */
  readonly disks?: readonly DiskSample[];
  /** GPUs of the machine; empty if there are none, absent if the driver did not answer in time. */
  readonly gpus?: readonly GpuSample[];
}
