/**
 * Records the resources of active runs as series, from the samples that are taken of their machines
 * anyway. They are stored beside the metrics of the run, never among them: nothing ranks runs by
 * them, and the model does not see them.
 */
import { join } from 'node:path';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { isHeld, type GoingRun } from '../machines/resources/gpuTimes.ts';
import type { MachineResources } from '../machines/resources/machineResources.ts';
import type { ResourceSample } from '../machines/resources/resourceSample.ts';
import { systemWrite } from '../metrics/disk/appendOnly.ts';
import { PointsFile } from '../metrics/disk/pointsFile.ts';
import type { Home } from '../storage/home.ts';

/**
 * Names of the series. No program prints such a name. GPUs are those that are leased to the run or
 * that its processes use: their mean utilisation, and their memory together. CPU and memory are
 * those of the machine.
 */
export const systemNames = {
  gpu: 'System/GPU utilisation (%)',
  gpuMemory: 'System/GPU memory (GB)',
  cpu: 'System/machine CPU (%)',
  memory: 'System/machine memory (GB)',
} as const;

export const isSystemName = (name: string): boolean =>
  (Object.values(systemNames) as string[]).includes(name);

/** Returns the folder of the system series in the folder of a run. */
export const systemFolder = (runFolder: string): string => join(runFolder, 'system');

/** Minimum time between two recorded samples of a run. */
const minEveryMs = 14_000;
/** A long run is recorded less often: at most this often in its time so far. */
const perRun = 4_000;
/** Maximum number of records of a run: 4 MB. */
const maxRecords = 100_000;

export interface SystemMetricsDeps {
  readonly resources: Pick<MachineResources, 'onDidChange' | 'latest'>;
  readonly home: Pick<Home, 'runFolder'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns the active runs. */
  going(): readonly GoingRun[];
}

interface Recorder {
  readonly file: Promise<PointsFile | undefined>;
  readonly sinceMs: number;
  lastMs: number;
}

export class SystemMetrics implements Disposable {
  readonly #deps: SystemMetricsDeps;
  readonly #owned = new DisposableStore();
  readonly #recorders = new Map<string, Recorder>();
  /** Samples are written one after another. */
  #work = Promise.resolve();

  constructor(deps: SystemMetricsDeps) {
    this.#deps = deps;
    this.#owned.add(deps.resources.onDidChange((machineId) => this.#note(machineId)));
  }

  /** Resolves when all samples so far are on disk. */
  settled(): Promise<void> {
    return this.#work;
  }

  dispose(): void {
    this.#owned.dispose();
    for (const runId of this.#recorders.keys()) this.#close(runId);
  }

  #note(machineId: string): void {
    const { resources, going } = this.#deps;
    const active = going();
    const ids = new Set(active.map(({ runId }) => runId));
    for (const runId of this.#recorders.keys()) if (!ids.has(runId)) this.#close(runId);
    const sample = resources.latest(machineId);
    if (sample === undefined) return;
    for (const run of active)
      if (run.machineId === machineId && run.pid !== undefined)
        this.#work = this.#work.then(() => this.#record(run, sample));
  }

  async #record(run: GoingRun, sample: ResourceSample): Promise<void> {
    const values = valuesOf(run, sample);
    if (values.length === 0) return;
    const known = this.#recorders.get(run.runId);
    const recorder = known ?? this.#open(run.runId, sample.atMs);
    const everyMs = Math.max(minEveryMs, (sample.atMs - recorder.sinceMs) / perRun);
    if (sample.atMs - recorder.lastMs < everyMs) return;
    recorder.lastMs = sample.atMs;
    const file = await recorder.file;
    try {
      if (file?.takes(values.length) === true) write(file, sample.atMs, values);
    } catch (error) {
      // The next sample tries to write the same records again.
      this.#deps.logger.warn(`Resources of run ${run.runId}: ${messageOf(error)}`);
    }
  }

  #open(runId: string, sinceMs: number): Recorder {
    const { home, logger } = this.#deps;
    const folder = systemFolder(home.runFolder(runId as Parameters<Home['runFolder']>[0]));
    const limits = { records: maxRecords, pendingRecords: 100 };
    const file = PointsFile.open({ folder, write: systemWrite, limits }, () => undefined).then(
      (opened) => opened.file,
      (error: unknown) => {
        logger.warn(`Resources of run ${runId}: ${messageOf(error)}`);
        return undefined;
      },
    );
    const recorder = { file, sinceMs, lastMs: Number.NEGATIVE_INFINITY };
    this.#recorders.set(runId, recorder);
    return recorder;
  }

  #close(runId: string): void {
    const recorder = this.#recorders.get(runId);
    this.#recorders.delete(runId);
    void recorder?.file.then((file) => file?.dispose());
  }
}

type Values = readonly (readonly [name: string, value: number])[];

function write(file: PointsFile, timeMs: number, values: Values): void {
  for (const [index, [metric, value]] of values.entries()) {
    const isLast = index === values.length - 1;
    file.add('point', { metric, step: Number.NaN, timeMs, value }, 0, isLast);
  }
  file.flush();
}

const gigabyte = 1e9;

/** Returns what was measured of the run and its machine. */
function valuesOf(run: GoingRun, sample: ResourceSample): Values {
  const { cpuPercent, memoryUsedBytes } = sample;
  return [
    ...gpuValuesOf(run, sample),
    ...(cpuPercent === undefined ? [] : [[systemNames.cpu, cpuPercent] as const]),
    ...(memoryUsedBytes === undefined
      ? []
      : [[systemNames.memory, memoryUsedBytes / gigabyte] as const]),
  ];
}

function gpuValuesOf(run: GoingRun, sample: ResourceSample): Values {
  const gpus = (sample.gpus ?? []).filter((gpu) => isHeld(gpu, run));
  const uses = gpus.flatMap(({ utilisationPercent }) => utilisationPercent ?? []);
  const memories = gpus.flatMap(({ memoryUsedBytes }) => memoryUsedBytes ?? []);
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  // A mean or sum over some of the GPUs would be misleading.
  const isWhole = (values: readonly number[]): boolean =>
    values.length > 0 && values.length === gpus.length;
  return [
    ...(isWhole(uses) ? [[systemNames.gpu, sum(uses) / uses.length] as const] : []),
    ...(isWhole(memories) ? [[systemNames.gpuMemory, sum(memories) / gigabyte] as const] : []),
  ];
}
