/** Measures how long the GPUs of runs were idle. */
import type { GpuSample, ResourceSample } from './resourceSample.ts';

export interface GoingRun {
  readonly runId: string;
  readonly machineId: string;
  /** Pid of the run's session leader; absent before the run has started. */
  readonly pid?: number | undefined;
  /**
   * Ids of the GPUs assigned to the run. If absent, the GPUs that the run's processes use are
   * measured.
   */
  readonly gpuIds?: readonly string[] | undefined;
}

export interface GpuTime {
  /** Time during which a GPU of the run was below 5 % utilisation, added up over the run's GPUs. */
  readonly idleSeconds: number;
  /** Time during which a GPU of the run was observed, added up over the run's GPUs. */
  readonly watchedSeconds: number;
  /**
   * Memory that the run's processes used at the last sample, on all GPUs together; absent if the
   * driver does not report it.
   */
  readonly memoryBytes?: number;
}

const idleBelowPercent = 5;
/** Longest interval between two samples that counts as observed time. */
const longestGapMs = 20_000;

export class GpuTimes {
  readonly #times = new Map<string, GpuTime>();
  readonly #seenMs = new Map<string, number>();

  of(runId: string): GpuTime | undefined {
    return this.#times.get(runId);
  }

  /** @param runs Active runs on the machine of the sample. */
  add({ gpus = [], atMs }: ResourceSample, runs: readonly GoingRun[]): void {
    for (const run of runs) {
      const runGpus = gpus.filter(
        (gpu) => isHeld(gpu, run) && gpu.utilisationPercent !== undefined,
      );
      const gapMs = atMs - (this.#seenMs.get(run.runId) ?? atMs);
      if (runGpus.length === 0) this.#seenMs.delete(run.runId);
      else this.#seenMs.set(run.runId, atMs);
      if (runGpus.length > 0) this.#count(run, runGpus, gapMs > longestGapMs ? 0 : gapMs / 1000);
    }
  }

  #count(run: GoingRun, runGpus: readonly GpuSample[], seconds: number): void {
    const before = this.#times.get(run.runId) ?? { idleSeconds: 0, watchedSeconds: 0 };
    const idle = runGpus.filter(
      ({ utilisationPercent = 100 }) => utilisationPercent < idleBelowPercent,
    );
    const memory = runGpus.flatMap((gpu) =>
      processesOf(gpu, run).flatMap(({ memoryBytes }) => memoryBytes ?? []),
    );
    this.#times.set(run.runId, {
      idleSeconds: before.idleSeconds + idle.length * seconds,
      watchedSeconds: before.watchedSeconds + runGpus.length * seconds,
      ...(memory.length > 0 && { memoryBytes: memory.reduce((total, bytes) => total + bytes, 0) }),
    });
  }
}

/**
 * Returns whether the GPU is assigned to the run. For a run without assigned GPUs, returns whether
 * the run's processes use the GPU.
 */
export const isHeld = (gpu: GpuSample, run: GoingRun): boolean =>
  run.gpuIds === undefined ? processesOf(gpu, run).length > 0 : run.gpuIds.includes(gpu.id);

const processesOf = ({ processes = [] }: GpuSample, { pid }: GoingRun) =>
  pid === undefined
    ? []
    : processes.filter((process) => process.pid === pid || process.sessionPid === pid);
