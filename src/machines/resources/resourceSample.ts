/**
 * What a machine has and what of it is in use, at one moment. What the machine did not say is
 * absent, never 0.
 */

export interface GpuProcess {
  readonly pid: number;
  /**
   * The session that it belongs to: a run is the leader of one, so that this is the pid of its run.
   */
  readonly sessionPid?: number;
  readonly memoryBytes?: number;
}

export interface GpuSample {
  /** As `nvidia-smi` or `rocm-smi` number it. */
  readonly id: string;
  readonly name?: string;
  /** 0 to 100: the part of the time in which it computed. */
  readonly utilisationPercent?: number;
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  readonly temperatureCelsius?: number;
  readonly powerWatts?: number;
  /** Those that hold memory of it; absent where the driver does not tell. */
  readonly processes?: readonly GpuProcess[];
}

export interface DiskSample {
  /** The folder that was asked about. */
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface ResourceSample {
  /** When it came, by our clock. */
  readonly atMs: number;
  /** Of all CPUs together, 0 to 100, since the sample before; absent in the first. */
  readonly cpuPercent?: number;
  /** In a container: what it is allowed, which may be a fraction. */
  readonly cpuCount?: number;
  /**
   * Processes that ran or waited to run, over the last minute. Absent in a container, where it
   * would be the host's.
   */
  readonly loadAverage?: number;
  /** What is not available to new processes; caches that can be dropped do not count. */
  readonly memoryUsedBytes?: number;
  readonly memoryTotalBytes?: number;
  /** Of the folders of runs and work, once where they are on the same file system. */
  readonly disks?: readonly DiskSample[];
  /** Empty: there is none. Absent: the driver did not answer in time. */
  readonly gpus?: readonly GpuSample[];
}
