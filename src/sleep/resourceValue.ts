/** Returns how much of a resource is in use, in percent. */
import type { GpuSample, ResourceSample } from '../machines/resources/resourceSample.ts';
import type { ResourceName } from './trigger.ts';

export interface ResourceQuestion {
  readonly resource: ResourceName;
  /** Default: all GPUs. */
  readonly gpuIndex?: number | undefined;
}

/**
 * Returns the use in percent: one number (for disks, that of the fullest disk) or, for GPUs, one
 * number per selected GPU. Returns an empty list if any of these percentages is unknown.
 */
export function percentsOf(
  sample: ResourceSample,
  { resource, gpuIndex }: ResourceQuestion,
): readonly number[] {
  switch (resource) {
    case 'gpu_util':
      return ofGpus(sample, gpuIndex, (gpu) => gpu.utilisationPercent);
    case 'gpu_memory':
      return ofGpus(sample, gpuIndex, (gpu) => partOf(gpu.memoryUsedBytes, gpu.memoryTotalBytes));
    case 'cpu':
      return known(sample.cpuPercent);
    case 'memory':
      return known(partOf(sample.memoryUsedBytes, sample.memoryTotalBytes));
    case 'disk': {
      const used = (sample.disks ?? []).flatMap((disk) =>
        known(partOf(disk.totalBytes - disk.freeBytes, disk.totalBytes)),
      );
      return used.length > 0 ? [Math.max(...used)] : [];
    }
  }
}

function ofGpus(
  { gpus = [] }: ResourceSample,
  index: number | undefined,
  read: (gpu: GpuSample) => number | undefined,
): readonly number[] {
  const selectedGpus = gpus.filter((gpu) => index === undefined || gpu.id === String(index));
  const values = selectedGpus.flatMap((gpu) => known(read(gpu)));
  return values.length === selectedGpus.length ? values : [];
}

const known = (value: number | undefined): number[] => (value === undefined ? [] : [value]);

const partOf = (part: number | undefined, whole: number | undefined): number | undefined =>
  part === undefined || whole === undefined || whole <= 0 ? undefined : (100 * part) / whole;
