/**
 * The current load of a machine, for the model: few fields, rounded numbers, unknown values
 * omitted.
 */
import { delay, type Clock } from '../../base/clock.ts';
import type { Machine } from '../../machines/machine.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { GpuSample, ResourceSample } from '../../machines/resources/resourceSample.ts';
import { freeSlots, type FreeSlots, type GpuSlot } from '../../runs/leases.ts';

export type ResourceSource = Pick<MachineResources, 'take' | 'gpuTime'>;

/** Maximum time that `list_machines` waits for the load and the slots of a reachable machine. */
const answerMs = 3000;
const maxGpus = 16;

/** Resolves with the known load and slots after `answerMs` at the latest. Never rejects. */
export async function useFields(
  machine: Machine,
  resources: ResourceSource | undefined,
  clock: Clock,
): Promise<Record<string, unknown>> {
  const [sample, slots] = await Promise.all([
    within(resources?.take(machine), clock),
    within(machine.kind === 'slurm' ? undefined : freeSlots(machine), clock),
  ]);
  return { ...slotFields(slots), ...(sample && sampleFields(sample, slots?.gpus ?? [])) };
}

async function within<T>(request: Promise<T> | undefined, clock: Clock): Promise<T | undefined> {
  if (request === undefined) return undefined;
  const over = new AbortController();
  const late = delay(clock, answerMs, over.signal).then(() => undefined);
  const answer = request.catch(() => undefined);
  // When the answer wins the race, aborting the timer rejects `late`; ignores that.
  late.catch(() => undefined);
  return Promise.race([answer, late]).finally(() => over.abort());
}

function slotFields(slots: FreeSlots | undefined): Record<string, unknown> {
  if (slots?.slots === undefined) return {};
  return { slots: slots.slots };
}

function sampleFields(sample: ResourceSample, held: readonly GpuSlot[]): Record<string, unknown> {
  const { gpus, disks, cpuPercent, cpuCount, loadAverage, memoryUsedBytes, memoryTotalBytes } =
    sample;
  return {
    ...rounded({ cpu_percent: cpuPercent, cpus: cpuCount, load_1m: loadAverage }),
    ...gigabytes({ memory_used_gb: memoryUsedBytes, memory_total_gb: memoryTotalBytes }),
    ...(disks && {
      disks: disks.map((disk) => ({ path: disk.path, ...gigabytes({ free_gb: disk.freeBytes }) })),
    }),
    ...(gpus &&
      gpus.length > 0 && { gpus: gpus.slice(0, maxGpus).map((gpu) => gpuFields(gpu, held)) }),
    ...(gpus && gpus.length > maxGpus && { more_gpus: gpus.length - maxGpus }),
  };
}

function gpuFields(gpu: GpuSample, held: readonly GpuSlot[]): Record<string, unknown> {
  const holder = held.find(({ id }) => id === gpu.id)?.heldBy;
  return {
    id: gpu.id,
    ...(gpu.name !== undefined && { name: gpu.name }),
    ...rounded({
      util_percent: gpu.utilisationPercent,
      celsius: gpu.temperatureCelsius,
      watts: gpu.powerWatts,
    }),
    ...gigabytes({ memory_used_gb: gpu.memoryUsedBytes, memory_total_gb: gpu.memoryTotalBytes }),
    ...(holder && { held_by_run: holder.number }),
  };
}

/**
 * Returns the seconds for which the GPUs of a run were idle, the seconds for which they were
 * watched (both added up over the GPUs), and the GPU memory that the run uses, in GB. Empty if the
 * run held no GPU while it was watched.
 */
export function gpuTimeFields(
  runId: string,
  resources: ResourceSource | undefined,
): Record<string, number> {
  const time = resources?.gpuTime(runId);
  if (time === undefined) return {};
  return {
    ...rounded({ gpu_idle_seconds: time.idleSeconds, gpu_watched_seconds: time.watchedSeconds }),
    ...gigabytes({ gpu_memory_gb: time.memoryBytes }),
  };
}

const mapped = (
  values: Readonly<Record<string, number | undefined>>,
  round: (value: number) => number,
) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, round(value)]],
    ),
  ) as Record<string, number>;

const rounded = (values: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  mapped(values, (value) => Math.round(value * 10) / 10);

const gigabytes = (values: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  mapped(values, (bytes) => Math.round((bytes / 2 ** 30) * 10) / 10);
