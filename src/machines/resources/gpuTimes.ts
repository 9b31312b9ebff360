/** How long the GPUs that runs hold were idle. */
import type { GpuSample, ResourceSample } from './resourceSample.ts';

export interface GoingRun {
  readonly runId: string;
  readonly machineId: string;
  /** The leader of its session; absent before it has started. */
  readonly pid?: number | undefined;
  /** GPUs that are its own, by id; absent: those that its processes use. */
  readonly gpuIds?: readonly string[] | undefined;
}

export interface GpuTime {
  /** GPU seconds in which a GPU that the run held was below 5 %. */
  readonly idleSeconds: number;
  /** GPU seconds that were watched. */
  readonly watchedSeconds: number;
  /** What its processes hold now on all GPUs, where the driver tells. */
  readonly memoryBytes?: number;
}

const idleBelowPercent = 5;
/** Between two samples that lie further apart nothing is known. */
const longestGapMs = 20_000;

export class GpuTimes {
  readonly #times = new Map<string, GpuTime>();
  readonly #seenMs = new Map<string, number>();

  of(runId: string): GpuTime | undefined {
    return this.#times.get(runId);
  }

  /** `runs`: those that are going on on the machine of the sample. */
  add({ gpus = [], atMs }: ResourceSample, runs: readonly GoingRun[]): void {
    for (const run of runs) {
      const held = gpus.filter((gpu) => isHeld(gpu, run) && gpu.utilisationPercent !== undefined);
      const gapMs = atMs - (this.#seenMs.get(run.runId) ?? atMs);
      if (held.length === 0) this.#seenMs.delete(run.runId);
      else this.#seenMs.set(run.runId, atMs);
      if (held.length > 0) this.#count(run, held, gapMs > longestGapMs ? 0 : gapMs / 1000);
    }
  }

  #count(run: GoingRun, held: readonly GpuSample[], seconds: number): void {
    const before = this.#times.get(run.runId) ?? { idleSeconds: 0, watchedSeconds: 0 };
    const idle = held.filter(
      ({ utilisationPercent = 100 }) => utilisationPercent < idleBelowPercent,
    );
    const memory = held.flatMap((gpu) =>
      processesOf(gpu, run).flatMap(({ memoryBytes }) => memoryBytes ?? []),
    );
    this.#times.set(run.runId, {
      idleSeconds: before.idleSeconds + idle.length * seconds,
      watchedSeconds: before.watchedSeconds + held.length * seconds,
      ...(memory.length > 0 && { memoryBytes: memory.reduce((total, bytes) => total + bytes, 0) }),
    });
  }
}

/** Its own GPUs, or those that its processes use. */
export const isHeld = (gpu: GpuSample, run: GoingRun): boolean =>
  run.gpuIds === undefined ? processesOf(gpu, run).length > 0 : run.gpuIds.includes(gpu.id);

const processesOf = ({ processes = [] }: GpuSample, { pid }: GoingRun) =>
  pid === undefined
    ? []
    : processes.filter((process) => process.pid === pid || process.sessionPid === pid);
